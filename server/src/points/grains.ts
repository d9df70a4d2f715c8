import { crc32 } from "node:zlib";
import { NewerFormat } from "../ground/newer-format.ts";
import { BlockReader, encodeShortBlock } from "./blocks.ts";
import { decodeValues, encodeValues } from "./columns.ts";
import { CorruptData } from "./corrupt-data.ts";
import { decodeIntegers, encodeIntegers } from "./integers.ts";
import type { Points } from "./tail.ts";

const integerColumns = [
  "count",
  "firstStep",
  "firstTimestamp",
  "lastStep",
  "lastTimestamp",
  "minStep",
  "minTimestamp",
  "maxStep",
  "maxTimestamp",
] as const;
const valueColumns = ["first", "last", "min", "max", "sum"] as const;

/**
 * Summaries of stretches of a chunk, one row each: a grain has the chunk's points of one cell of
 * steps. Steps and timestamps are those of the first and the last point and of the first ones with
 * the least and the largest value, in the order of the chunk.
 */
export type Grains = Record<
  (typeof integerColumns)[number] | (typeof valueColumns)[number],
  Float64Array
>;

/** Minimal number of points in a cell, if they were evenly spread over the chunk's steps. */
const pointsPerGrain = 128;
/** Minimal length of a chunk with grains: reading a shorter one is as cheap. */
const grainsFromPoints = 512;

/**
 * Cells are [c × 2^g, (c + 1) × 2^g): the smallest such g, the same for every reader of the chunk.
 * undefined where the chunk has no grains.
 */
export function grainExponent(count: number, minStep: number, maxStep: number): number | undefined {
  if (count < grainsFromPoints) return undefined;
  const wanted = (pointsPerGrain * (maxStep - minStep + 1)) / count;
  let exponent = 0;
  while (2 ** exponent < wanted) exponent++;
  return exponent;
}

/** Returns the grains of a chunk, given its points in their order. */
export function grainsOf(points: Points): Grains {
  const ends = grainEnds(points.step);
  const grains = emptyGrains(ends.length);
  let start = 0;
  for (const [at, end] of ends.entries()) {
    summarize(points, start, end, grains, at);
    start = end;
  }
  return grains;
}

/**
 * Encodes grains as one object, those of consecutive chunks together. `parts` must not be empty.
 */
export function encodeGrains(parts: readonly Grains[]): Uint8Array {
  const count = parts.reduce((sum, part) => sum + part.count.length, 0);
  const grains = emptyGrains(count);
  let start = 0;
  for (const part of parts) {
    for (const name of columnNames) grains[name].set(part[name], start);
    start += part.count.length;
  }
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(grainsVersion, 4);
  header.writeUInt32LE(count, 8);
  const bytes = Buffer.concat([
    header,
    ...integerColumns.flatMap((name) => encodeShortBlock(encodeIntegers(grains[name]))),
    ...valueColumns.flatMap((name) => encodeValues(grains[name]).flatMap(encodeShortBlock)),
  ]);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  return bytes;
}

/**
 * Returns the grains of each chunk, for the given numbers of points: 0 for a chunk without grains.
 * Throws CorruptData, or NewerFormat.
 */
export function decodeGrains(bytes: Uint8Array, pointCounts: readonly number[]): Grains[] {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < headerBytes || crc32(bytes.subarray(4)) !== header.getUint32(0, true)) {
    throw new CorruptData("checksum of grains differs");
  }
  const versionFound = header.getUint8(4);
  if (versionFound !== grainsVersion) {
    throw new NewerFormat(`grains of version ${versionFound}, this release reads ${grainsVersion}`);
  }
  const count = header.getUint32(8, true);
  if (count > pointCounts.reduce((sum, points) => sum + points, 0)) {
    throw new CorruptData(`${count} grains are more than their points`);
  }
  const grains = emptyGrains(count);
  const blocks = new BlockReader(bytes.subarray(headerBytes));
  for (const name of integerColumns) decodeIntegers(blocks.next(), grains[name]);
  for (const name of valueColumns) decodeValues(() => blocks.next(), grains[name]);
  blocks.finish();
  let start = 0;
  const parts = pointCounts.map((points) => {
    let end = start;
    for (let held = 0; held < points && end < grains.count.length; end++) held += grains.count[end];
    const part = slice(grains, start, end);
    start = end;
    return part;
  });
  const isWhole = parts.every((part, at) => sumOf(part.count) === pointCounts[at]);
  if (!isWhole || start !== grains.count.length) {
    throw new CorruptData("grains have other numbers of points than their chunks");
  }
  return parts;
}

/** The first column that differs, if any. */
export function differingColumn(left: Grains, right: Grains): keyof Grains | undefined {
  return columnNames.find(
    (name) =>
      left[name].length !== right[name].length ||
      left[name].some((each, at) => !Object.is(each, right[name][at])),
  );
}

const columnNames = [...integerColumns, ...valueColumns];
/** Bytes of a grain in memory. */
export const grainBytes = 8 * columnNames.length;
export const grainsVersion = 1;
const headerBytes = 12;

export function emptyGrains(count: number): Grains {
  return columnsOf(() => new Float64Array(count));
}

function slice(grains: Grains, start: number, end: number): Grains {
  return columnsOf((name) => grains[name].subarray(start, end));
}

function columnsOf(column: (name: keyof Grains) => Float64Array): Grains {
  return Object.fromEntries(columnNames.map((name) => [name, column(name)])) as Grains;
}

function sumOf(column: Float64Array): number {
  let sum = 0;
  for (const each of column) sum += each;
  return sum;
}

/** Returns where each cell's points end in a chunk. */
function grainEnds(step: Float64Array): number[] {
  const exponent = grainExponent(step.length, step[0], step[step.length - 1]);
  const ends: number[] = [];
  if (exponent === undefined) return ends;
  const width = 2 ** exponent;
  let cell = Math.floor(step[0] / width);
  for (let at = 1; at < step.length; at++) {
    const next = Math.floor(step[at] / width);
    if (next === cell) continue;
    ends.push(at);
    cell = next;
  }
  ends.push(step.length);
  return ends;
}

function summarize(points: Points, start: number, end: number, grains: Grains, at: number): void {
  const { step, timestamp, value } = points;
  let least = start;
  let largest = start;
  let [min, max, sum] = [value[start], value[start], 0];
  for (let row = start; row < end; row++) {
    const each = value[row];
    if (each < min) [min, least] = [each, row];
    if (each > max) [max, largest] = [each, row];
    sum += each;
  }
  grains.count[at] = end - start;
  grains.sum[at] = sum;
  grains.first[at] = value[start];
  grains.firstStep[at] = step[start];
  grains.firstTimestamp[at] = timestamp[start];
  grains.last[at] = value[end - 1];
  grains.lastStep[at] = step[end - 1];
  grains.lastTimestamp[at] = timestamp[end - 1];
  grains.min[at] = value[least];
  grains.minStep[at] = step[least];
  grains.minTimestamp[at] = timestamp[least];
  grains.max[at] = value[largest];
  grains.maxStep[at] = step[largest];
  grains.maxTimestamp[at] = timestamp[largest];
}
