import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ColumnRecords, columnRecord } from "./column-records.ts";

const points = {
  step: Float64Array.of(1, 2),
  timestamp: Float64Array.of(1_000, 2 ** 53 - 1),
  value: Float64Array.of(0.5, -5e-324),
};

suite("records as columns", () => {
  test("their bytes are these", () => {
    const record = columnRecord('{"a":"é"}', points);
    assert.equal(
      Buffer.from(record).toString("hex"),
      [
        "4c536572 01000000 02000000 10000000",
        "7b2261223a22c3a9 227d202020202020",
        "000000000000f03f 0000000000000040",
        "0000000000408f40 ffffffffffff3f43",
        "000000000000e03f 0100000000000080",
        "00000000 43dcbf4b",
      ]
        .join("")
        .replaceAll(" ", ""),
    );
    const empty = columnRecord("{}");
    assert.equal(
      Buffer.from(empty).toString("hex"),
      "4c5365720100000000000000080000007b7d2020202020200000000096029243",
    );
  });

  test("several are one chunk in a buffer of its own", () => {
    const of = { experimentId: "e", correlationId: "c", xAxis: "step" as const };
    const records = new ColumnRecords({ ...of, messageId: () => "m" });
    for (let count = 0; count < 3; count++) records.points({ name: "a", meta: "{}" }, points);
    records.record("svc.v2.query.series.done", { batches: 3, points: 6 });
    assert.equal(records.isFull, false);
    const chunk = records.take();
    const one = columnRecord(
      '{"messageId":"m","correlationId":"c","event":"svc.v2.query.series.data","data":{"experimentId":"e","seriesName":"a","metadata":{}}}',
      points,
    );
    assert.deepEqual(chunk.subarray(one.length, 2 * one.length), one);
    assert.equal(chunk.buffer.byteLength, chunk.length);
    assert.equal(records.take().length, 0);
  });
});
