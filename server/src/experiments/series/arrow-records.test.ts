import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { tableFromIPC } from "apache-arrow";
import { limits } from "@lossless/protocol";
import { arrowFailure, ArrowRecords } from "./arrow-records.ts";

const of = { experimentId: "e", correlationId: "c", xAxis: "step" as const, messageId: () => "m" };
const points = {
  step: Float64Array.of(0, 2 ** 32, 2 ** 53 - 2),
  timestamp: Float64Array.of(2 ** 31, 2 ** 32 - 1, 2 ** 53 - 1),
  value: Float64Array.of(5e-324, -1.7976931348623157e308, 0.1 + 0.2),
};

/** Chunks of a stream of two batches, of 9,000 points that are alike and three that are not. */
function chunks(): Uint8Array[] {
  const records = new ArrowRecords(of, ["loss", "none"], ["{}", '{"rank":"ü"}']);
  const taken = [records.take()];
  records.points({ name: "loss", meta: '{"rank":"ü"}' }, points);
  const many = new Float64Array(9_000).fill(7);
  records.points({ name: "loss", meta: "{}" }, { step: many, timestamp: many, value: many });
  assert.ok(records.isFull);
  taken.push(records.take());
  records.record("svc.v2.query.experimentseries.series", {});
  records.record("svc.v2.query.experimentseries.done", { series: 2, batches: 3, points: 9_003 });
  return [...taken, records.take()];
}

suite("records as an Arrow stream", () => {
  test("their bytes are these", () => {
    const records = new ArrowRecords(of, ["loss", "none"], ["{}", '{"rank":"ü"}']);
    records.points({ name: "loss", meta: '{"rank":"ü"}' }, points);
    records.record("svc.v2.query.series.done", { batches: 1, points: 3 });
    const golden = readFileSync(join(import.meta.dirname, "golden", "series.arrow"));
    assert.deepEqual(Buffer.from(records.take()), golden);
    const rows = tableFromIPC(golden).toArray() as { toJSON(): object }[];
    assert.deepEqual(
      rows.map((row) => row.toJSON()),
      [0, 1, 2].map((at) => ({
        seriesName: "loss",
        metadata: '{"rank":"ü"}',
        step: BigInt(points.step[at]),
        timestampMs: BigInt(points.timestamp[at]),
        value: points.value[at],
      })),
    );
  });

  test("batches are full, whatever the partitions have", () => {
    const found = tableFromIPC(Buffer.concat(chunks()));
    assert.deepEqual(
      found.batches.map(({ numRows }) => numRows).filter((rows) => rows > 0),
      [8_192, 811],
    );
    assert.equal(found.getChild("value")!.get(9_002), 7);
  });

  test("each chunk but the last ends with the beginning of a message", () => {
    const all = chunks();
    assert.deepEqual([...all[0].subarray(0, 4)], [255, 255, 255, 255]);
    for (const chunk of all.slice(0, -1))
      assert.deepEqual([...chunk.subarray(-4)], [255, 255, 255, 255]);
    assert.deepEqual([...all.at(-1)!.subarray(-8)], [255, 255, 255, 255, 0, 0, 0, 0]);
    assert.deepEqual([...arrowFailure({}, true).subarray(-4)], [255, 255, 255, 255]);
  });

  test("a stream that fails before it began has its columns, no row, and no end", () => {
    const failed = arrowFailure({ code: "overloaded" }, false);
    assert.deepEqual([...failed.subarray(-4)], [255, 255, 255, 255]);
    assert.match(Buffer.from(failed).toString("latin1"), /lossless\.error.*overloaded/s);
    const found = tableFromIPC(failed);
    assert.deepEqual([found.numRows, found.schema.fields.length], [0, 5]);
  });

  test("more names than a dictionary may have are refused before anything is sent", () => {
    const long = "x".repeat(limits.arrowDictionaryCharactersMax / 4);
    const names = Array.from({ length: 5 }, (_, number) => `${number}${long}`);
    assert.throws(() => new ArrowRecords(of, names, []), { code: "validation_failed" });
    assert.throws(() => new ArrowRecords(of, [], names), { code: "validation_failed" });
  });
});
