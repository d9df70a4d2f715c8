import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  contentId,
  integerOf,
  isLater,
  isRegular,
  latestOf,
  type RunMetric,
  storedInteger,
  storedValue,
  valueOf,
} from "./metric.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const metrics = fc.record({
  key: fc.constantFrom("a", "b", "é"),
  value: fc.double(),
  timestamp: fc.oneof(int64, fc.bigInt({ min: 0n, max: 3n })),
  step: fc.oneof(int64, fc.bigInt({ min: 0n, max: 3n })),
});

test("integers of 64 bits are stored as texts that go in their order", () => {
  fc.assert(
    fc.property(int64, int64, (one, other) => {
      assert.equal(integerOf(storedInteger(one)), one);
      assert.equal(storedInteger(one) < storedInteger(other), one < other);
    }),
  );
});

test("every double is stored and read back, but that -0 is 0", () => {
  fc.assert(
    fc.property(fc.double(), (value) => {
      const { kind, value: stored } = storedValue(value);
      assert.ok(Number.isFinite(stored));
      assert.deepEqual(valueOf(kind, stored), value + 0);
    }),
  );
});

test("the latest of a key is later than all others, whatever the order they came in", () => {
  fc.assert(
    fc.property(fc.array(metrics), (all) => {
      const latest = latestOf(all);
      for (const metric of all) assert.equal(isLater(metric, latest.get(metric.key)!), false);
      assert.equal(latest.size, new Set(all.map(({ key }) => key)).size);
    }),
  );
});

test("an identifier covers all of a metric", () => {
  const metric: RunMetric = { key: "a", value: 1, timestamp: 2n, step: 3n };
  const changed = [{ key: "b" }, { value: 2 }, { timestamp: 3n }, { step: 2n }, { key: "a 3" }];
  const ids = [metric, ...changed.map((one) => ({ ...metric, ...one }))].map(contentId);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(contentId({ ...metric }), ids[0]);
  assert.match(ids[0], /^mlflow-[\w-]{22}$/);
});

test("the series engine holds what a point of v2 can be", () => {
  const metric: RunMetric = { key: "a", value: 1, timestamp: 2n, step: 2n ** 53n - 2n };
  assert.equal(isRegular(metric), true);
  const others = [{ step: 2n ** 53n - 1n }, { step: -1n }, { timestamp: 2n ** 53n }, { key: "é" }];
  for (const other of [...others, { value: NaN }, { value: -Infinity }])
    assert.equal(isRegular({ ...metric, ...other }), false);
});
