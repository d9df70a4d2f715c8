import { pointsPerChunk } from "./chunk.ts";
import { counterOf } from "./identifiers/counter.ts";
import type { LogRecord } from "./log-record.ts";
import { counterFlag } from "./point-batch.ts";
import { freeMemory } from "../ground/free-memory.ts";
import { SegmentWriter } from "./segment.ts";
import { isSorted, sortOrder } from "./sorted-points.ts";

/** The points of a segment: with the counter of each identifier in an interval. */
export interface SealedColumns {
  step: Float64Array;
  timestamp: Float64Array;
  value: Float64Array;
  /** 0 = the identifier is in the identifier run; n + 1 = the segment's prefix n. */
  prefix: Uint32Array;
  counter: Float64Array;
}

/**
 * Encodes the points of log records as one segment object. `intervalPrefixes` are the prefixes
 * whose identifiers were stored as intervals: their counters go into the chunks, so that a repeated
 * point can be told from a conflict.
 */
export function encodePoints(
  records: LogRecord[],
  intervalPrefixes: readonly string[],
): Uint8Array[] {
  const { places, starts } = byPartition(records);
  const prefixNumbers = numbersOf(records, intervalPrefixes);
  const writer = new SegmentWriter([...intervalPrefixes]);
  for (let partition = 0; partition < starts.length - 1; partition++) {
    const [start, end] = [2 * starts[partition], 2 * starts[partition + 1]];
    if (end === start) continue;
    const columns = gathered(records, prefixNumbers, places.subarray(start, end));
    writePartition(writer, partition, columns);
    freeColumns(columns);
  }
  freeMemory(places);
  return writer.finish();
}

export function freeColumns({ step, timestamp, value, prefix, counter }: SealedColumns): void {
  freeMemory(step, timestamp, value, prefix, counter);
}

/** Sorts one partition's points, given in order of arrival, and adds them as chunks. */
export function writePartition(
  writer: SegmentWriter,
  partition: number,
  arrived: SealedColumns,
): void {
  const columns = isSorted(arrived.step, arrived.timestamp) ? arrived : reordered(arrived);
  for (let start = 0; start < columns.step.length; start += pointsPerChunk) {
    const end = Math.min(start + pointsPerChunk, columns.step.length);
    writer.addChunk(partition, part(columns, start, end));
  }
  if (columns !== arrived) freeColumns(columns);
}

/**
 * Orders the points by partition, within each by arrival: two numbers a point, its record and its
 * row. `starts` counts points, and has one entry more than partitions.
 */
function byPartition(records: LogRecord[]): { places: Uint32Array; starts: Uint32Array } {
  const starts = partitionStarts(records);
  const places = new Uint32Array(2 * starts.at(-1)!);
  const next = starts.slice();
  for (const [number, { count, columns }] of records.entries()) {
    for (let row = 0; row < count; row++) {
      const at = 2 * next[(columns.partition[row] & ~counterFlag) >>> 0]++;
      places[at] = number;
      places[at + 1] = row;
    }
  }
  return { places, starts };
}

/** Returns for each record the segment's number of each of its prefixes, 0 where it has none. */
function numbersOf(records: LogRecord[], intervalPrefixes: readonly string[]): number[][] {
  const numbers = new Map(intervalPrefixes.map((prefix, index) => [prefix, index + 1]));
  return records.map(({ prefixes }) => prefixes.map((prefix) => numbers.get(prefix) ?? 0));
}

function gathered(
  records: LogRecord[],
  prefixNumbers: number[][],
  places: Uint32Array,
): SealedColumns {
  const target = emptyColumns(places.length / 2);
  for (let at = 0; at < target.step.length; at++) {
    const number = places[2 * at];
    const row = places[2 * at + 1];
    const { step, timestamp, value, partition, identifier } = records[number].columns;
    target.step[at] = step[row];
    target.timestamp[at] = timestamp[row];
    target.value[at] = value[row];
    if (partition[row] < counterFlag) continue;
    const prefix = prefixNumbers[number][identifier[4 * row]];
    if (prefix === 0) continue;
    target.prefix[at] = prefix;
    target.counter[at] = counterOf(identifier[4 * row + 2], identifier[4 * row + 3]);
  }
  return target;
}

function partitionStarts(records: LogRecord[]): Uint32Array {
  let partitions = 0;
  for (const { count, columns } of records) {
    for (let row = 0; row < count; row++) {
      partitions = Math.max(partitions, ((columns.partition[row] & ~counterFlag) >>> 0) + 1);
    }
  }
  const starts = new Uint32Array(partitions + 1);
  for (const { count, columns } of records) {
    for (let row = 0; row < count; row++)
      starts[((columns.partition[row] & ~counterFlag) >>> 0) + 1]++;
  }
  for (let partition = 0; partition < partitions; partition++)
    starts[partition + 1] += starts[partition];
  return starts;
}

export function emptyColumns(count: number): SealedColumns {
  return {
    step: new Float64Array(count),
    timestamp: new Float64Array(count),
    value: new Float64Array(count),
    prefix: new Uint32Array(count),
    counter: new Float64Array(count),
  };
}

function part(columns: SealedColumns, start: number, end: number): SealedColumns {
  return {
    step: columns.step.subarray(start, end),
    timestamp: columns.timestamp.subarray(start, end),
    value: columns.value.subarray(start, end),
    prefix: columns.prefix.subarray(start, end),
    counter: columns.counter.subarray(start, end),
  };
}

function reordered(columns: SealedColumns): SealedColumns {
  const order = sortOrder(columns.step, columns.timestamp);
  const target = emptyColumns(order.length);
  for (let at = 0; at < order.length; at++) {
    const row = order[at];
    target.step[at] = columns.step[row];
    target.timestamp[at] = columns.timestamp[row];
    target.value[at] = columns.value[row];
    target.prefix[at] = columns.prefix[row];
    target.counter[at] = columns.counter[row];
  }
  return target;
}
