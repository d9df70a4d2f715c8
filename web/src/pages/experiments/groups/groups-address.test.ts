import assert from "node:assert/strict";
import { test } from "node:test";
import { readGroupsAddress, sortedBy, sortParameter, usualSort } from "./groups-address.ts";

const read = (parameters: Record<string, string>) => readGroupsAddress((name) => parameters[name]);

test("groups are in the address; what is typed wrongly has its default", () => {
  assert.deepEqual(read({}), { by: [], sort: usualSort });
  assert.deepEqual(read({ by: "metric." }), { by: [], sort: usualSort });
  assert.deepEqual(read({ by: 'meta.lr, meta."a b", status' }), {
    by: ["meta.lr", 'meta."a b"', "status"],
    sort: usualSort,
  });
  assert.deepEqual(read({ by: "status", gsort: "mean:2 desc" }).sort, {
    of: "mean",
    at: 2,
    descending: true,
  });
  assert.deepEqual(read({ by: "status", gsort: "median:2" }).sort, usualSort);
});

test("a click on a head sorts by it, and another one in reverse", () => {
  const first = sortedBy(usualSort, "mean", 1);
  assert.deepEqual(first, { of: "mean", at: 1 });
  assert.equal(sortParameter(first), "mean:1");
  assert.equal(sortParameter(sortedBy(first, "mean", 1)), "mean:1 desc");
  assert.equal(sortParameter(sortedBy(first, "experiments")), undefined);
  assert.equal(sortParameter(sortedBy(usualSort, "experiments")), "experiments");
});
