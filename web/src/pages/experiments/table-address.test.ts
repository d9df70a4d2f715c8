import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultColumns, readTableAddress, sortedBy, sortText } from "./table-address.ts";

function read(address: string) {
  const parameters = new URLSearchParams(address);
  return readTableAddress((name) => parameters.get(name) ?? undefined);
}

test("an address without parameters is the table of all, newest first", () => {
  const address = read("");
  assert.deepEqual(address.sort, [{ field: "created", descending: true }]);
  assert.deepEqual(address.columns, defaultColumns);
  assert.equal(address.query, "");
});

test("a view gives query and order, and what the address names comes before them", () => {
  assert.equal(read("view=running").query, "status = running");
  const { query, sort } = read("view=failed&q=points > 3");
  assert.equal(query, "points > 3");
  assert.equal(sortText(sort), "updated desc");
  assert.equal(read("view=none").view, undefined);
});

test("an address that nobody can read gives the defaults", () => {
  const fields = ['metric."val, loss".min', 'meta."a,b"', "slug"];
  const address = read(new URLSearchParams({ cols: fields.join(",") }).toString());
  assert.deepEqual(address.columns, fields);
  assert.deepEqual(read('cols=slug,"b').columns, defaultColumns);
  assert.equal(sortText(read("sort=nothing up").sort), "created desc");
  assert.deepEqual(read("cols=").columns, []);
  assert.deepEqual(read("cols=+").columns, []);
});

test("a head sorts alone, or as a further key, and a second click turns it round", () => {
  let sort = sortedBy([{ field: "created", descending: true }], "points", true, false);
  assert.equal(sortText(sort), "points desc");
  sort = sortedBy(sort, "slug", false, true);
  assert.equal(sortText(sort), "points desc, slug");
  sort = sortedBy(sort, "points", true, true);
  assert.equal(sortText(sort), "points, slug");
  sort = sortedBy(sortedBy(sort, "status", false, true), "folder", false, true);
  assert.equal(sortText(sort), "points, slug, folder");
  assert.equal(sortText(sortedBy(sort, "slug", false, false)), "slug desc");
});
