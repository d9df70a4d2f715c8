import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, DatabaseError } from "../database/database.ts";
import { bytesPerPoint } from "../points/point-batch.ts";
import { Lane } from "./lane.ts";
import type { Write } from "./storage.ts";

test("a full lane refuses points, and takes errands and the engine's own writes", async () => {
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<never>();
  const lane = laneOf(() => {
    begun.resolve();
    return answer.promise;
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

test("a lane is held up while its group waits, and once its server has refused one", async () => {
  const answers: PromiseWithResolvers<never>[] = [];
  const lane = laneOf(() => {
    const answer = Promise.withResolvers<never>();
    answers.push(answer);
    return answer.promise;
  });
  const waiting = lane.write([points()]);
  assert.equal(lane.isHeldUp, false);
  while (!lane.isHeldUp) await sleep(10);
  answers[0].resolve([{ outcomes: [] }] as never);
  await waiting;
  assert.equal(lane.isHeldUp, false);
  const refused = lane.write([points()]);
  while (answers.length < 2) await sleep(1);
  answers[1].reject(new DatabaseError("unavailable", "away"));
  await assert.rejects(refused, { code: "storage_unavailable" });
  assert.equal(lane.isHeldUp, true);
});

/** Its queue is full once something waits. */
function laneOf(write: () => Promise<never>): Lane {
  return new Lane({
    database: { write } as unknown as Database,
    logs: { forgetGroup: () => undefined, takeUnsealed: () => [] } as never,
    freeDisk: { bytes: Infinity } as never,
    diskReserveBytes: 0,
    queueBytesMax: 0,
    warn: () => undefined,
    fatal: () => undefined,
    committed: () => undefined,
  });
}

function points(): Write {
  const columns = new ArrayBuffer(bytesPerPoint);
  return {
    kind: "metrics",
    experimentId: "e",
    points: { count: 1, columns, partitions: [], prefixes: [] },
  };
}
