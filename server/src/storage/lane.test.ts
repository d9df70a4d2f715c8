import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../database/database.ts";
import { bytesPerPoint } from "../points/point-batch.ts";
import { Lane } from "./lane.ts";
import type { Write } from "./storage.ts";

test("a full lane refuses points, and takes errands and the engine's own writes", async () => {
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<never>();
  const lane = new Lane({
    database: {
      write() {
        begun.resolve();
        return answer.promise;
      },
    } as unknown as Database,
    logs: { forgetGroup: () => undefined, takeUnsealed: () => [] } as never,
    freeDisk: { bytes: Infinity } as never,
    diskReserveBytes: 0,
    queueBytesMax: 0,
    warn: () => undefined,
    fatal: () => undefined,
    committed: () => undefined,
  });
  const inWork = lane.write([points()]).catch(String);
  await begun.promise;
  const waiting = lane.write([points()]).catch(String);
  assert.equal(lane.statistics.queued, 1);
  await assert.rejects(lane.write([points()]), { code: "overloaded" });
  const own = ["errand.run", "points.seal"].map((name) =>
    lane.write([{ kind: "call", name, input: {} } as unknown as Write]).catch(String),
  );
  assert.equal(lane.statistics.queued, 3);
  // A defect, which each of them gets as its answer.
  answer.reject(new Error("the end of this test"));
  const outcomes = await Promise.all([inWork, waiting, ...own]);
  assert.deepEqual(new Set(outcomes), new Set(["Error: the end of this test"]));
});

function points(): Write {
  const columns = new ArrayBuffer(bytesPerPoint);
  return {
    kind: "metrics",
    experimentId: "e",
    points: { count: 1, columns, partitions: [], prefixes: [] },
  };
}
