import { setImmediate } from "node:timers/promises";
import type { Reader } from "../database/database.ts";
import { counterFlag } from "./point-batch.ts";
import { decodeLogRecord } from "./log-record.ts";
import { freeMemory } from "../ground/free-memory.ts";

/** Columns of equal length: one series' points, or a part of them. */
export interface Points {
  step: Float64Array;
  timestamp: Float64Array;
  value: Float64Array;
}

/**
 * The points of one experiment that are still in the log, by partition and in order of arrival.
 * Only ever appended to: the first n points of a partition stay the same while it grows.
 */
export class Tail {
  /** Log rows up to here are sealed and not in this tail. */
  readonly sealSeq: number;
  /** Infinity without points. */
  firstTimestamp = Infinity;
  readonly #partitions = new Map<number, GrowingColumns>();
  #seq: number;
  #pointCount = 0;

  constructor(sealSeq: number) {
    this.sealSeq = sealSeq;
    this.#seq = sealSeq;
  }

  get bytes(): number {
    return 48 * this.#pointCount + 900 * this.#partitions.size;
  }

  /** Reads rows appended to the log up to `logSeq`, page by page: other work runs in between. */
  async catchUp(reader: Reader, experimentId: string, logSeq: number): Promise<void> {
    while (this.#seq < logSeq) {
      const rows = await reader.all<{ seq: number; record: Uint8Array }>(
        "SELECT seq, record FROM log WHERE experiment = $1 AND seq > $2 ORDER BY seq LIMIT 16",
        experimentId,
        this.#seq,
      );
      if (rows.length === 0) this.requireEnd(experimentId, logSeq);
      for (const row of rows) this.append(experimentId, row);
      if (this.#seq < logSeq) await setImmediate();
    }
  }

  /** Takes the next row of the log. */
  append(experimentId: string, { seq, record }: { seq: number; record: Uint8Array }): void {
    if (seq !== this.#seq + 1)
      throw new Error(`BUG: log of ${experimentId} jumps from ${this.#seq} to ${seq}`);
    this.#append(record);
    freeMemory(record);
    this.#seq = seq;
  }

  /** Requires that all rows of the log are here. */
  requireEnd(experimentId: string, logSeq: number): void {
    if (this.#seq === logSeq) return;
    throw new Error(`BUG: log of ${experimentId} ends at ${this.#seq}, head says ${logSeq}`);
  }

  /** Returns the number of points of each of these partitions. */
  lengths(partitions: Iterable<number>): Map<number, number> {
    const lengths = new Map<number, number>();
    for (const partition of partitions) {
      const columns = this.#partitions.get(partition);
      if (columns !== undefined) lengths.set(partition, columns.length);
    }
    return lengths;
  }

  /** The least timestamp of partitions but some. */
  firstTimestampBut(without: ReadonlySet<number>): number {
    if (without.size === 0) return this.firstTimestamp;
    let first = Infinity;
    for (const [partition, columns] of this.#partitions) {
      if (without.has(partition)) continue;
      for (const timestamp of columns.first(columns.length).timestamp)
        first = Math.min(first, timestamp);
    }
    return first;
  }

  /** The first `length` points of a partition. */
  points(partition: number, length: number): Points {
    const columns = this.#partitions.get(partition);
    if (columns === undefined || columns.length < length) {
      throw new Error(`BUG: ${length} points of partition ${partition}, got ${columns?.length}`);
    }
    return columns.first(length);
  }

  #append(record: Uint8Array): void {
    const { count, columns } = decodeLogRecord(record);
    for (let index = 0; index < count; index++) {
      const partition = (columns.partition[index] & ~counterFlag) >>> 0;
      let growing = this.#partitions.get(partition);
      if (growing === undefined) {
        growing = new GrowingColumns();
        this.#partitions.set(partition, growing);
      }
      growing.push(columns.step[index], columns.timestamp[index], columns.value[index]);
      this.firstTimestamp = Math.min(this.firstTimestamp, columns.timestamp[index]);
    }
    this.#pointCount += count;
  }
}

const firstCapacity = 8;

class GrowingColumns {
  length = 0;
  #step = new Float64Array(firstCapacity);
  #timestamp = new Float64Array(firstCapacity);
  #value = new Float64Array(firstCapacity);

  push(step: number, timestamp: number, value: number): void {
    if (this.length === this.#step.length) {
      this.#step = grown(this.#step);
      this.#timestamp = grown(this.#timestamp);
      this.#value = grown(this.#value);
    }
    this.#step[this.length] = step;
    this.#timestamp[this.length] = timestamp;
    this.#value[this.length] = value;
    this.length++;
  }

  first(length: number): Points {
    return {
      step: this.#step.subarray(0, length),
      timestamp: this.#timestamp.subarray(0, length),
      value: this.#value.subarray(0, length),
    };
  }
}

function grown(column: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}
