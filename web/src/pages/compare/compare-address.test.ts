import assert from "node:assert/strict";
import { test } from "node:test";
import {
  comparedMax,
  compareAddress,
  compareQueryAddress,
  questionOf,
  queryWithout,
  readCompareAddress,
} from "./compare-address.ts";

function read(address: string) {
  const parameters = new URL(address, "http://localhost").searchParams;
  return readCompareAddress((name) => parameters.get(name) ?? undefined);
}

test("an address names experiments, each once, and who is hidden or the reference", () => {
  const { asked, hidden, reference } = read("/compare?e=a,b,,a&hide=b&ref=a");
  assert.deepEqual(asked, { kind: "ids", ids: ["a", "b"] });
  assert.deepEqual([...hidden], ["b"]);
  assert.equal(reference, "a");
});

test("or a query, which may be empty: then its order or its folder says so", () => {
  const sort = [{ field: "points", descending: true }];
  const query = read(compareQueryAddress("meta.lr > 1", "points desc", "folder-1")).asked;
  assert.deepEqual(query, { kind: "query", query: "meta.lr > 1", sort, folder: "folder-1" });
  const all = read(compareQueryAddress("", "points desc")).asked;
  assert.deepEqual(all, { kind: "query", query: "", sort, folder: undefined });
  assert.equal(read("/compare").asked, undefined);
});

test("what nobody can read as an order is the usual one", () => {
  const { asked } = read("/compare?q=x&sort=%28");
  assert.ok(asked?.kind === "query");
  assert.deepEqual(asked.sort, [{ field: "created", descending: true }]);
});

test("ids are asked for as a query, a hundred at most, and none that no service gave", () => {
  const { asked } = read(compareAddress(["one", 'two" or x', "x".repeat(65)]));
  assert.deepEqual(questionOf(asked!), {
    query: `id in (one, "two\\" or x")`,
    limit: comparedMax,
  });
  const many = Array.from({ length: 130 }, (_, at) => `id-${at}`);
  const { query } = questionOf({ kind: "ids", ids: many });
  assert.equal(query?.split(",").length, comparedMax);
});

test("who is taken out of what a query finds is a test of that query", () => {
  assert.equal(queryWithout("", "a"), "not id in (a)");
  assert.equal(queryWithout("not id in (a)", "b"), "not id in (a, b)");
  assert.equal(queryWithout("x or y", "a"), "(x or y) and not id in (a)");
  assert.equal(queryWithout("x and not id in (a)", "b"), "x and not id in (a, b)");
});
