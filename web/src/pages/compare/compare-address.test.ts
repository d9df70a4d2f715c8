import assert from "node:assert/strict";
import { test } from "node:test";
import {
  comparedMax,
  compareAddress,
  compareQueryAddress,
  filteredParameters,
  liveQuery,
  liveWith,
  markedParameters,
  questionOf,
  queryWithout,
  readCompareAddress,
  sortedParameters,
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

test("an order that names no field is as none", () => {
  const sort = [{ field: "created", descending: true }];
  for (const text of ["/compare?q=a&sort=", "/compare?sort=", "/compare?sort=+"])
    assert.deepEqual(read(text).asked?.kind === "query" && read(text).asked, {
      kind: "query",
      query: text.includes("q=a") ? "a" : "",
      sort,
      folder: undefined,
    });
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

test("two groups that were marked are in the address; nobody is in both", () => {
  const { marked } = read("/compare?e=a,b,c&a=a,b&b=b,c");
  assert.deepEqual(Object.fromEntries(marked), { a: "a", b: "a", c: "b" });
  assert.deepEqual(markedParameters(marked), { a: "b,a", b: "c" });
});

test("a test is added to the query once, and ids become one", () => {
  const ids = read("/compare?e=a,b");
  const test = "meta.lr <= 0.1";
  assert.equal(filteredParameters(ids, test).q, `id in (a, b) and ${test}`);
  const found = read(compareQueryAddress("slug ~ x or slug ~ y", "slug"));
  const { q } = filteredParameters(found, test);
  assert.equal(q, `(slug ~ x or slug ~ y) and ${test}`);
  const again = read(compareQueryAddress(q, "slug"));
  assert.equal(filteredParameters(again, test).q, q);
});

test("a click sorts by a field, another one turns the order round", () => {
  const ids = read("/compare?e=a,b&ref=b");
  const field = "meta.lr";
  assert.deepEqual(sortedParameters(ids, field), {
    e: undefined,
    q: "id in (a, b)",
    sort: "meta.lr",
    ref: "b",
  });
  const sorted = read(compareQueryAddress("", field));
  assert.equal(sortedParameters(sorted, field).sort, "meta.lr desc");
  assert.equal(sortedParameters(sorted, "meta.seed").sort, "meta.seed");
});

test("a report asks again for what is compared, without what is hidden, in its folder and order", () => {
  const experiments = [
    { experimentId: "one", isHidden: false },
    { experimentId: "two", isHidden: true },
    { experimentId: "three", isHidden: true },
  ];
  const live = (address: string, shown = experiments) => liveQuery(read(address), shown);
  assert.deepEqual(live(compareQueryAddress("meta.lr > 1", "points desc", "folder-1")), {
    query: "meta.lr > 1 and not id in (two, three)",
    folderId: "folder-1",
    sort: "points desc",
  });
  assert.deepEqual(live(compareQueryAddress("", "created desc"), []), { query: "" });
  assert.equal(live(compareAddress(["one"])), undefined);
  const part = liveWith(live(compareQueryAddress("x or y", "created desc"), []), "meta.lr = 0.1");
  assert.deepEqual(part, { query: "(x or y) and meta.lr = 0.1" });
  assert.equal(liveWith(part, undefined), undefined);
});
