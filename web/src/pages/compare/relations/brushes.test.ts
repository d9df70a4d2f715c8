import assert from "node:assert/strict";
import { test } from "node:test";
import type { Selection } from "../compare-address.ts";
import { axisOf } from "./axis.ts";
import { brushedParameters } from "./brush-address.ts";
import { type Brush, brushBetween, brushesOf, isSaid, withBrushes } from "./brushes.ts";

const range = (from?: number, to?: number): Brush => ({ kind: "range", from, to });
const map = (...entries: [string, Brush | undefined][]) => new Map(entries);

test("a part of an axis is a test of the query, and goes with it", () => {
  const query = withBrushes("status = done", map(["meta.lr", range(0.001, 0.01)]));
  assert.equal(query, "status = done and meta.lr >= 0.001 and meta.lr <= 0.01");
  assert.deepEqual(brushesOf(query, ["meta.lr"]), map(["meta.lr", range(0.001, 0.01)]));
  const moved = withBrushes(query, map(["meta.lr", range(undefined, 0.1)]));
  assert.equal(moved, "status = done and meta.lr <= 0.1");
  assert.equal(withBrushes(moved, map(["meta.lr", undefined])), "status = done");
});

test("values of a category are one test", () => {
  const choice: Brush = { kind: "choice", values: ["a b", "true", true, 3] };
  const query = withBrushes("", map(["meta.opt", choice]));
  assert.equal(query, 'meta.opt in ("a b", "true", true, 3)');
  assert.deepEqual(brushesOf(query, ["meta.opt"]), map(["meta.opt", choice]));
});

test("other tests, other axes and what stands in brackets are left alone", () => {
  const query = "meta.lr > 1 and meta.x >= 2 and (meta.lr >= 3 or slug = a) and not meta.lr <= 4";
  assert.deepEqual(brushesOf(query, ["meta.lr"]), new Map());
  assert.equal(withBrushes(query, map(["meta.lr", undefined])), query);
  assert.deepEqual(brushesOf("meta.lr >= (", ["meta.lr"]).size, 0);
});

test("lengths and moments are whole seconds, further out", () => {
  const query = withBrushes("", map(["duration", range(1_500, 9_001)], ["created", range(1_500)]));
  assert.equal(query, "duration >= 1s and duration <= 10s and created >= 1970-01-01T00:00:01Z");
  assert.deepEqual(brushesOf(query, ["duration"]), map(["duration", range(1_000, 10_000)]));
});

test("a moment at the end stays where it is, however often the beginning is moved", () => {
  let query = withBrushes("", map(["created", range(0, 9_001)]));
  for (const from of [1_000, 2_000, 3_000]) {
    const brush = brushesOf(query, ["created"]).get("created");
    query = withBrushes(query, map(["created", { ...(brush as Brush & { kind: "range" }), from }]));
  }
  assert.equal(query, "created >= 1970-01-01T00:00:03Z and created <= 1970-01-01T00:00:09Z");
});

test("an end that was dragged over is open, and a category has what stands between", () => {
  const lr = axisOf("meta.lr", [0, 10], false);
  assert.deepEqual(brushBetween(lr, 0.25, 1), range(2.5));
  assert.deepEqual(brushBetween(lr, 0, 0.5), range(undefined, 5));
  assert.equal(brushBetween(lr, 0, 1), undefined);
  const words = axisOf("meta.a", ["x", "y", "z"], false);
  assert.deepEqual(brushBetween(words, 0.4, 1), { kind: "choice", values: ["y", "z"] });
  assert.equal(brushBetween(words, 0.1, 0.4), undefined);
});

test("ids become a query with their tests, and ids again without", () => {
  const asked: Selection = { kind: "ids", ids: ["a", "b"] };
  const brushed = brushedParameters(asked, "a", map(["meta.lr", range(1)]));
  assert.deepEqual(brushed, { e: undefined, q: "id in (a, b) and meta.lr >= 1", ref: "a" });
  const query: Selection = { kind: "query", query: brushed["q"], sort: [], folder: undefined };
  const { e, q, sort } = brushedParameters(query, "a", map(["meta.lr", undefined]));
  assert.deepEqual([e, q, sort], ["a,b", undefined, undefined]);
});

test("a query that has no test any more still asks for all", () => {
  const sort = [
    { field: "slug", descending: true },
    { field: "points", descending: false },
  ];
  const asked: Selection = { kind: "query", query: "meta.lr >= 1", sort, folder: undefined };
  const changed = brushedParameters(asked, undefined, map(["meta.lr", undefined]));
  assert.deepEqual(changed, { q: "", sort: "slug desc, points" });
});

test("a part that is chosen already, or taken away from nothing, changes nothing", () => {
  const brushes = map(["meta.lr", range(1, 2)], ["meta.a", { kind: "choice", values: ["x"] }]);
  const known = new Map([...brushes].flatMap(([field, brush]) => (brush ? [[field, brush]] : [])));
  assert.ok(isSaid(known, map(["meta.lr", range(1, 2)], ["meta.b", undefined])));
  assert.ok(!isSaid(known, map(["meta.lr", undefined])));
  assert.ok(!isSaid(known, map(["meta.lr", range(1, 3)])));
  assert.ok(!isSaid(known, map(["meta.a", { kind: "choice", values: ["y"] }])));
  assert.ok(!isSaid(known, map(["meta.b", range(1)])));
});
