import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import fc from "fast-check";
import { elapsedOf } from "../export/elapsed.ts";
import { rowText } from "../csv/row.ts";
import { MetricOrder } from "./metric-order.ts";
import { scan, slugOf, timestampMsOf } from "./scan.ts";

const header = "step,elapsed_ms,metric,value";

suite("scanning a file", () => {
  test("an export finds out from the timestamp alone what stood in elapsed_ms", async () => {
    const directory = mkdtempSync(join(tmpdir(), "lossless-scan-"));
    const row = fc.record({
      elapsedMs: fc.option(fc.oneof(fc.integer({ min: -3, max: 12 }), fc.integer({ min: 0 })), {
        nil: undefined,
      }),
      isRight: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
    });
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (rows) => {
          const lines = rows.map(({ elapsedMs, isRight }) =>
            isRight ? rowText(1, elapsedMs, "loss", 0.5) : "wrong",
          );
          const path = join(directory, "a.csv");
          writeFileSync(path, [header, ...lines].join("\n"));
          const found = await scan(path, "a", { baseTimestampMs: 1_000_000 });
          const elapsed = elapsedOf({ import: found.record });
          let seen = 0;
          for await (const group of found.rows()) {
            for (const good of group) {
              const timestampMs = timestampMsOf(good, 1_000_000);
              const isUnknown = found.record.emptyElapsed === "unknown";
              const expected = isUnknown ? timestampMs - 1_000_000 : good.elapsedMs;
              assert.equal(elapsed(timestampMs), expected);
              assert.equal(good.elapsedMs, rows[good.row - 1]?.elapsedMs);
              seen++;
            }
          }
          assert.equal(seen, rows.filter(({ isRight }) => isRight).length);
          assert.equal(found.wrongRows, rows.length - seen);
        }),
        { numRuns: 200 },
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("the slug is the name of the file without its endings", () => {
    assert.equal(slugOf("runs/2024-06-06_AdamW.csv.gz"), "2024-06-06_AdamW");
    assert.equal(slugOf("a.b.csv"), "a.b");
    assert.equal(slugOf("noending"), "noending");
  });

  test("metrics of one step are ordered as the file writes them, not by first appearance", () => {
    const order = new MetricOrder();
    for (const metric of ["val", "time"]) order.add(0, 5, metric);
    for (const metric of ["train", "time", "average"]) order.add(1, 9, metric);
    assert.deepEqual(order.metrics(), ["val", "train", "time", "average"]);
    for (const metric of ["time", "train"]) order.add(2, 9, metric);
    assert.deepEqual(
      order.metrics(),
      ["val", "time", "train", "average"],
      "a circle has no right order",
    );
  });
});
