import { setImmediate } from "node:timers/promises";
import type { Reader } from "../../database/database.ts";
import { freeMemory } from "../../ground/free-memory.ts";
import { decodeLogRecord, type LogRecord } from "../../points/log-record.ts";
import { counterFlag } from "../../points/point-batch.ts";
import type { Snapshot } from "../../points/snapshots.ts";
import type { Metric, Metrics } from "./metrics.ts";
import { Summary } from "./summary.ts";

/** Summaries of some points of an experiment, by metric. */
export class Tally {
  points = 0;
  /**
   * Times of the earliest and the latest point, in milliseconds since 1970; infinite where there is
   * none.
   */
  firstMs = Infinity;
  lastMs = -Infinity;
  readonly summaries = new Map<Metric, Summary>();
  readonly metrics: Metrics;
  readonly #ofPartition: (Summary[] | undefined)[] = [];

  constructor(metrics: Metrics) {
    this.metrics = metrics;
  }

  addRecord({ count, columns }: LogRecord): void {
    const { step, timestamp, value } = columns;
    for (let row = 0; row < count; row++) {
      const partition = (columns.partition[row] & ~counterFlag) >>> 0;
      const summaries = (this.#ofPartition[partition] ??= this.#summariesOf(partition));
      for (const summary of summaries) {
        summary.add(partition, step[row], timestamp[row], value[row]);
      }
      if (summaries.length > 0) this.#reach(timestamp[row]);
    }
    this.points += count;
  }

  /** Adds all of a partition's points; other work runs in between. */
  async addPartition(partition: number, snapshot: Snapshot, rest: () => Promise<void>) {
    const sources = snapshot.sources(partition);
    const summaries = sources.length === 0 ? [] : this.#summariesOf(partition);
    for (const source of sources) {
      this.points += source.count;
      if (summaries.length === 0) continue;
      const { step, timestamp, value } = await source.read();
      for (const summary of summaries) {
        for (let row = 0; row < step.length; row++) {
          summary.add(partition, step[row], timestamp[row], value[row]);
        }
      }
      for (const ms of timestamp) this.#reach(ms);
      await rest();
    }
  }

  #reach(ms: number): void {
    if (ms < this.firstMs) this.firstMs = ms;
    if (ms > this.lastMs) this.lastMs = ms;
  }

  #summariesOf(partition: number): Summary[] {
    return this.metrics.of(partition).map((metric) => {
      const known = this.summaries.get(metric);
      if (known !== undefined) return known;
      const summary = new Summary();
      this.summaries.set(metric, summary);
      return summary;
    });
  }
}

/** Records of a page, if they have few or many points. */
const recordsPerPageMin = 16;
const recordsPerPageMax = 512;
const pointsPerPage = 65_536;

/**
 * Adds the log rows behind `from` up to `to`, which have about `points` points; false when some of
 * them are gone. `read` opens a snapshot of the database, one for each page. The
 * tally's metrics are those of `to`, or later.
 */
export async function countLog(
  read: <Result>(work: (reader: Reader) => Promise<Result>) => Promise<Result>,
  experimentId: string,
  tally: Tally,
  { from, to, points }: { from: number; to: number; points: number },
): Promise<boolean> {
  const fitting = Math.floor((pointsPerPage * (to - from)) / Math.max(1, points));
  const limit = Math.max(recordsPerPageMin, Math.min(recordsPerPageMax, fitting));
  for (let seq = from; seq < to;) {
    const rows = await read(async (reader) => {
      const own = await reader.at(experimentId);
      return own.all<{ seq: number; record: Uint8Array }>(
        `SELECT seq, record FROM log WHERE experiment = $1 AND seq > $2 AND seq <= $3
         ORDER BY seq LIMIT $4`,
        experimentId,
        seq,
        to,
        limit,
      );
    });
    if (rows.length === 0) return false;
    for (const row of rows) {
      if (row.seq !== seq + 1) return false;
      tally.addRecord(decodeLogRecord(row.record));
      freeMemory(row.record);
      seq = row.seq;
    }
    if (seq < to) await setImmediate();
  }
  return true;
}
