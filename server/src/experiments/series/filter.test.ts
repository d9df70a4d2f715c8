import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesFilter } from "./filter.ts";

const meta = JSON.parse('{"host":"a","gpu":"0","":"empty","__proto__":"own"}') as Record<
  string,
  string
>;

test("an empty filter passes every partition", () => {
  assert.ok(matchesFilter(meta, []));
  assert.ok(matchesFilter({}, []));
});

test("without a value the key must exist", () => {
  assert.ok(matchesFilter(meta, [{ metadataKey: "gpu" }]));
  assert.ok(matchesFilter(meta, [{ metadataKey: "" }]));
  assert.ok(!matchesFilter(meta, [{ metadataKey: "GPU" }]));
  assert.ok(!matchesFilter({}, [{ metadataKey: "gpu" }]));
});

test("with a value it must be equal, the empty string too", () => {
  assert.ok(matchesFilter(meta, [{ metadataKey: "host", metadataValue: "a" }]));
  assert.ok(!matchesFilter(meta, [{ metadataKey: "host", metadataValue: "" }]));
  assert.ok(matchesFilter({ host: "" }, [{ metadataKey: "host", metadataValue: "" }]));
});

test("all predicates must match, contradictory ones match nothing", () => {
  const host = (metadataValue: string) => ({ metadataKey: "host", metadataValue });
  assert.ok(matchesFilter(meta, [host("a"), { metadataKey: "host" }, { metadataKey: "gpu" }]));
  assert.ok(!matchesFilter(meta, [host("a"), host("b")]));
  assert.ok(!matchesFilter(meta, [host("a"), { metadataKey: "absent" }]));
});

test("names of Object.prototype are keys like others", () => {
  assert.ok(!matchesFilter({}, [{ metadataKey: "constructor" }]));
  assert.ok(!matchesFilter({}, [{ metadataKey: "__proto__" }]));
  assert.ok(matchesFilter(meta, [{ metadataKey: "__proto__", metadataValue: "own" }]));
});
