import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsAddress } from "./group-address.ts";

const parametersOf = (address: string | undefined) =>
  Object.fromEntries(new URL(address!, "http://a").searchParams);

test("the table of a chart's groups has their keys, and the metric as columns", () => {
  const grouping = { kind: "by", keys: ["meta.optimizer.name", "experiment.folder"] } as const;
  const found = { query: "tag = sweep", folderId: "f" };
  assert.deepEqual(parametersOf(groupsAddress(found, grouping, "val/loss")), {
    q: "tag = sweep",
    by: "meta.optimizer.name, folder",
    cols: "metric.val/loss, metric.val/loss.min",
    folder: "f",
  });
  const named = groupsAddress({ experimentIds: ["a", "b"] }, grouping, "val/loss");
  assert.equal(parametersOf(named)["q"], "id in (a, b)");
});

test("groups that the table has not have no address", () => {
  const found = { query: "" };
  const none = [
    groupsAddress(undefined, { kind: "by", keys: ["meta.lr"] }, "loss"),
    groupsAddress(found, { kind: "without", keys: ["meta.seed"] }, "loss"),
    groupsAddress(found, { kind: "by", keys: ["rank"] }, "loss"),
    groupsAddress(
      { experimentIds: Array.from({ length: 201 }, String) },
      { kind: "by", keys: ["meta.lr"] },
      "loss",
    ),
  ];
  assert.deepEqual(
    none,
    none.map(() => undefined),
  );
});
