import { crc32 } from "node:zlib";
import { NewerFormat } from "../ground/newer-format.ts";
import { BlockReader, encodeBlock } from "./blocks.ts";
import { decodeValues, encodeValues, readValues } from "./columns.ts";
import { CorruptData } from "./corrupt-data.ts";
import { decodeIntegers, encodeIntegers } from "./integers.ts";

/** Points of one partition, sorted by (step, timestamp, arrival). */
export interface ChunkColumns {
  step: Float64Array;
  timestamp: Float64Array;
  value: Float64Array;
  /**
   * 0 = the identifier is in the identifier run; n + 1 = prefix number n of the segment, with
   * `counter`.
   */
  prefix?: Uint32Array | undefined;
  counter?: Float64Array | undefined;
}

export interface DecodedChunk {
  step: Float64Array<ArrayBuffer>;
  timestamp: Float64Array<ArrayBuffer>;
  value: Float64Array<ArrayBuffer>;
  /**
   * Prefixes and counters; undefined when every identifier is hashed, or identifiers were not
   * requested.
   */
  prefix: Uint32Array<ArrayBuffer> | undefined;
  counter: Float64Array<ArrayBuffer> | undefined;
}

/**
 * Long enough to make the fixed cost of compression small, short enough to read a part of a series.
 */
export const pointsPerChunk = 8192;

/**
 * Encodes a chunk as docs/storage-format.md draws it. Steps, timestamps and counters are integers
 * of 0 … 2^53 - 1.
 */
export function encodeChunk(columns: ChunkColumns): Uint8Array<ArrayBuffer> {
  const count = columns.step.length;
  if (count < 1 || count > pointsPerChunk) throw new Error(`BUG: got a chunk of ${count} points`);
  const { step, timestamp, value } = columns;
  if (timestamp.length !== count || value.length !== count) {
    throw new Error(`BUG: got columns of ${count}, ${timestamp.length} and ${value.length} points`);
  }
  const data = concatenate(
    [encodeIntegers(step), encodeIntegers(timestamp), ...encodeValues(value)].flatMap(encodeBlock),
  );
  const identifiers = encodeIdentifiers(columns, count);
  const start = identifiers === undefined ? headerBytes : headerWithIdentifiersBytes;
  const dataEnd = start + data.length;
  const bytes = new Uint8Array(dataEnd + (identifiers?.length ?? 0));
  const header = new DataView(bytes.buffer);
  header.setUint8(4, chunkVersion);
  header.setUint8(5, identifiers === undefined ? 0 : identifiersFlag);
  header.setUint16(6, count, true);
  header.setUint32(8, data.length, true);
  bytes.set(data, start);
  if (identifiers !== undefined) {
    header.setUint32(12, identifiers.length, true);
    header.setUint32(16, crc32(identifiers), true);
    bytes.set(identifiers, dataEnd);
  }
  header.setUint32(0, crc32(bytes.subarray(4, dataEnd)), true);
  return bytes;
}

/**
 * Decodes a chunk. Throws CorruptData when the bytes read are damaged, or NewerFormat. Identifiers
 * that are not wanted are neither decompressed nor verified.
 */
export function decodeChunk(bytes: Uint8Array, wantIdentifiers = false): DecodedChunk {
  const { count, data, identifiers, identifiersCrc } = openChunk(bytes);
  const step = new Float64Array(count);
  const timestamp = new Float64Array(count);
  const value = new Float64Array(count);
  const blocks = new BlockReader(data);
  decodeIntegers(blocks.next(), step);
  decodeIntegers(blocks.next(), timestamp);
  decodeValues(() => blocks.next(), value);
  blocks.finish();
  if (!wantIdentifiers || identifiers === undefined) {
    return { step, timestamp, value, prefix: undefined, counter: undefined };
  }
  if (crc32(identifiers) !== identifiersCrc) {
    throw new CorruptData("checksum of a chunk's identifiers differs");
  }
  return { step, timestamp, value, ...decodeIdentifiers(identifiers, count) };
}

/** Memory for the curve of one chunk after the other. */
export function curveRoom() {
  return {
    x: new Float64Array(pointsPerChunk),
    value: new Float64Array(pointsPerChunk),
    floats: new Float32Array(pointsPerChunk),
  };
}

/** A chunk whose checksum is right, before its columns are decompressed. */
export interface ChunkData {
  count: number;
  /** Blocks of its columns. */
  data: Uint8Array;
}

export function readChunkData(bytes: Uint8Array): ChunkData {
  const { count, data } = openChunk(bytes);
  return { count, data };
}

/** Decodes one axis, and the values, of a chunk into the room. */
export function decodeCurve(
  count: number,
  blocks: BlockReader,
  axis: "step" | "timestamp",
  room: ReturnType<typeof curveRoom>,
): { x: Float64Array; value: Float64Array } {
  const [x, value] = [room.x.subarray(0, count), room.value.subarray(0, count)];
  const [step, timestamp] = [blocks.next(), blocks.next()];
  decodeIntegers(axis === "step" ? step : timestamp, x);
  const values = readValues(
    () => blocks.next(),
    value,
    () => room.floats.subarray(0, count),
  );
  if (values !== value) value.set(values);
  blocks.finish();
  return { x, value };
}

export const chunkVersion = 1;
const identifiersFlag = 1;
const headerBytes = 12;
const headerWithIdentifiersBytes = 20;

interface OpenChunk {
  count: number;
  data: Uint8Array;
  identifiers: Uint8Array | undefined;
  identifiersCrc: number;
}

function openChunk(bytes: Uint8Array): OpenChunk {
  if (bytes.length < headerBytes) throw new CorruptData(`got a chunk of ${bytes.length} bytes`);
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hasIdentifiers = (header.getUint8(5) & identifiersFlag) !== 0;
  const start = hasIdentifiers ? headerWithIdentifiersBytes : headerBytes;
  const dataEnd = start + header.getUint32(8, true);
  if (dataEnd > bytes.length || crc32(bytes.subarray(4, dataEnd)) !== header.getUint32(0, true)) {
    throw new CorruptData("checksum of a chunk differs");
  }
  // After the checksum: a damaged version byte is damage, not a newer release.
  const versionFound = header.getUint8(4);
  if (versionFound !== chunkVersion) {
    throw new NewerFormat(`chunk of version ${versionFound}, this release reads ${chunkVersion}`);
  }
  const end = hasIdentifiers ? dataEnd + header.getUint32(12, true) : dataEnd;
  if (end !== bytes.length) throw new CorruptData(`a chunk of ${end} bytes has ${bytes.length}`);
  return {
    count: header.getUint16(6, true),
    data: bytes.subarray(start, dataEnd),
    identifiers: hasIdentifiers ? bytes.subarray(dataEnd) : undefined,
    identifiersCrc: hasIdentifiers ? header.getUint32(16, true) : 0,
  };
}

/** undefined when every identifier is hashed. */
function encodeIdentifiers(
  { prefix, counter }: ChunkColumns,
  count: number,
): Uint8Array | undefined {
  if (prefix === undefined || prefix.every((number) => number === 0)) return undefined;
  if (prefix.length !== count || counter?.length !== count) {
    throw new Error(`BUG: got identifiers of ${prefix.length} and ${counter?.length} points`);
  }
  const columns = [encodeIntegers(Float64Array.from(prefix)), encodeIntegers(counter)];
  return concatenate(columns.flatMap(encodeBlock));
}

function decodeIdentifiers(
  identifiers: Uint8Array,
  count: number,
): Pick<DecodedChunk, "prefix" | "counter"> {
  const blocks = new BlockReader(identifiers);
  const prefix = new Float64Array(count);
  const counter = new Float64Array(count);
  decodeIntegers(blocks.next(), prefix);
  decodeIntegers(blocks.next(), counter);
  blocks.finish();
  return { prefix: Uint32Array.from(prefix), counter };
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
