import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { MetricData } from "@lossless/protocol";
import type { WithMetaText } from "../ground/meta-text.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import { counterFlag, pointColumns } from "../points/point-batch.ts";
import { PointBatchBuilder } from "./point-batch-builder.ts";

const hasher = new IdentifierHasher(new Uint32Array([1, 2, 3, 4]));

function metric(more: Partial<WithMetaText<MetricData>> = {}): WithMetaText<MetricData> {
  return {
    experimentId: "e",
    timestampMs: 5,
    step: 1,
    metricName: "loss",
    metricValue: 0.5,
    meta: "{}",
    ...more,
  };
}

suite("point batch", () => {
  test("columns, partitions and prefixes", () => {
    const builder = new PointBatchBuilder(4, hasher);
    builder.add("run-7", metric({ step: -0, metricValue: -0, timestampMs: -0 }));
    builder.add("run-9007199254740991", metric({ meta: '{"a":"1","b":"2"}' }));
    builder.add("no counter", metric({ meta: '{"a":"1","b":"2"}', step: 2 ** 53 - 2 }));
    builder.add("other-7", metric({ metricName: "accuracy", timestampMs: 2 ** 53 - 1 }));
    const batch = builder.finish();
    assert.deepEqual(batch.partitions, ["loss\n{}", 'loss\n{"a":"1","b":"2"}', "accuracy\n{}"]);
    assert.deepEqual(batch.prefixes, ["run", "other"]);
    const { step, timestamp, value, identifier, partition } = pointColumns(batch.columns, 4);
    assert.ok(Object.is(step[0], 0) && Object.is(value[0], 0) && Object.is(timestamp[0], 0));
    assert.equal(step[2], 2 ** 53 - 2);
    assert.equal(timestamp[3], 2 ** 53 - 1);
    assert.deepEqual(Array.from(identifier.slice(0, 4)), [0, 0, 0, 7]);
    assert.deepEqual(Array.from(identifier.slice(4, 8)), [0, 0, 0x1f_ffff, 0xffff_ffff]);
    const expected = new Uint32Array(4);
    hasher.hash("no counter", expected, 0);
    assert.deepEqual(identifier.slice(8, 12), expected);
    assert.deepEqual(
      [...partition],
      [counterFlag | 0, counterFlag | 1, 1, counterFlag | 2].map((one) => one >>> 0),
    );
  });

  test("a batch that is not full is a defect", () => {
    assert.throws(() => new PointBatchBuilder(1, hasher).finish(), /BUG/);
  });
});
