import assert from "node:assert/strict";
import { test } from "node:test";
import { metaCells, MetaColumns } from "./meta-columns.ts";

test("hundreds of packages are no columns, and those that queries know are", () => {
  const packages = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`package-${at}`, "1"]),
  );
  const meta = JSON.stringify({
    lr: 0.1,
    _source: { commit: "abc", diff: { version: "1" } },
    _environment: { python: "3.11.2", packages: { ...packages, torch: "2.9.0" } },
  });
  const columns = new MetaColumns();
  columns.add(meta, []);
  const found = columns.definitions();
  assert.deepEqual(
    found.map(({ name }) => name),
    [
      "meta._environment.packages.torch",
      "meta._environment.python",
      "meta._source.commit",
      "meta.lr",
    ],
  );
  assert.deepEqual(metaCells(meta, [], found), ["2.9.0", "3.11.2", "abc", 0.1]);
});
