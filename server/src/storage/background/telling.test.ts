import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import type { Database, Reader } from "../../database/database.ts";
import { newestFormat } from "../../database/migrate.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { countPurged, readRecorded } from "../../database/quotas/recorded-points.ts";
import { noteToldAmounts } from "../../database/quotas/told-amounts.ts";
import { AwayWorkers } from "../../database/workers/away-workers.ts";
import { Places } from "../../database/workers/places.ts";
import { randomNumbers } from "../../ground/random.fixture.ts";
import { TellingAmounts } from "./telling.ts";

const dayMs = 24 * 60 * 60_000;
const running = new AbortController().signal;

onEachDatabase((fresh) => {
  test("days are told as they are, and those long past are not read again", async () => {
    const worker = new TestNode(await fresh.openMigrated());
    const organizationIds = [await worker.newOrganization(), await worker.newOrganization()];
    const directory = new TestNode(await fresh.inFormat(newestFormat, worker.database));
    let readDays = 0;
    const read: Database["read"] = (work) =>
      worker.database.read((reader) => work(counting(reader, (days) => (readDays += days))));
    const telling = new TellingAmounts({
      database: directory.database,
      workers: [{ read }],
      away: new AwayWorkers([], new Places()),
      lease: undefined,
      write: (name, input) =>
        name === "told.amounts"
          ? directory.write(noteToldAmounts, input as Parameters<typeof noteToldAmounts>[1])
          : Promise.resolve(),
      warn: (message, error) => assert.fail(`${message} ${String(error)}`),
    });
    const below = randomNumbers(7);
    const startMs = worker.nowMs;
    for (let step = 0, atMs = startMs; step < 80; step++) {
      if (below(3) === 0) atMs += below(3 * dayMs);
      const organizationId = organizationIds[below(2)];
      // The clocks of writers differ.
      worker.nowMs = atMs - below(dayMs);
      const points = 1 + below(9);
      await worker.counted((transaction, { ledger }) => {
        if (below(4) === 0) return countPurged(transaction, organizationId, points);
        ledger.notePoints(organizationId, { points, bytes: 0, partitions: 0 });
        return Promise.resolve();
      });
      readDays = 0;
      await telling.round(running);
      // The day of this point, the last one of each and the one before, and what was purged.
      if (step > 0) assert.ok(readDays <= 4 * organizationIds.length, `${readDays} days`);
      for (const id of organizationIds) {
        const [told, counted] = await Promise.all(
          [directory, worker].map(({ database }) =>
            database.read((reader) => readRecorded(reader, id)),
          ),
        );
        assert.deepEqual(told, counted);
      }
    }
    assert.ok(worker.nowMs > startMs + 20 * dayMs);
  });
});

/** The reader, which also says how many days each statement returned. */
function counting(reader: Reader, note: (days: number) => void): Reader {
  const all: Reader["all"] = async (sql, ...values) => {
    const rows = await reader.all(sql, ...values);
    note(rows.filter((row) => "day" in (row as object)).length);
    return rows as never;
  };
  return { all } as Reader;
}
