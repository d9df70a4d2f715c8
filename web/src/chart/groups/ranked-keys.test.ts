import assert from "node:assert/strict";
import { test } from "node:test";
import { rankedKeys } from "./ranked-keys.ts";

test("keys that group come first, of these the common ones; equal ones are none", () => {
  const optimizer = ["adam", "muon", "adam"];
  const fields = optimizer.map(
    (name, at) =>
      new Map([
        ["meta.equal", "1"],
        ["meta.id", `${at}`],
        ["meta.optimizer", name],
        ["meta._source.command", name],
        ["meta.import.rows", name],
        ...(at < 2 ? ([["meta.early", "yes"]] as const) : []),
      ]),
  );
  assert.deepEqual(rankedKeys(fields), [
    { key: "meta.optimizer", values: 2, experiments: 3 },
    { key: "meta.early", values: 1, experiments: 2 },
    { key: "meta.id", values: 3, experiments: 3 },
    { key: "meta._source.command", values: 2, experiments: 3 },
    { key: "meta.import.rows", values: 2, experiments: 3 },
  ]);
});
