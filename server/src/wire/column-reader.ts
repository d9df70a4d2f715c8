import { crc32 } from "node:zlib";
import { limits } from "@lossless/protocol";
import { errors } from "@lossless/protocol/errors";
import { ServiceError } from "../ground/errors.ts";
import type { IdentifierHasher } from "../points/identifiers/hash.ts";
import {
  bytesPerPoint,
  type PointBatch,
  pointColumns,
  type PointColumns,
} from "../points/point-batch.ts";
import { ColumnHeads } from "./column-heads.ts";
import { ColumnIdentifiers } from "./column-identifiers.ts";
import { type ColumnLayout, columnLayout, headAt, wrong } from "./column-layout.ts";

/** Read once, not for each point. */
const { stepMax, timestampMsMax } = limits;

/**
 * Reads points as columns (docs/columns.md) into the batch that the writer takes, without an object
 * for a point. Where JSON would refuse a batch of the same points, so does it.
 */
export class ColumnReader {
  readonly #heads = new ColumnHeads();
  readonly #hasher: IdentifierHasher;

  constructor(hasher: IdentifierHasher) {
    this.#hasher = hasher;
  }

  /** Throws ServiceError; nothing of the body is stored then. */
  read(body: Uint8Array): PointBatch {
    const layout = columnLayout(body);
    const bytes = aligned(body);
    checkSum(bytes, layout);
    const head = this.#heads.read(bytes.subarray(headAt, layout.stepAt));
    const columns = new ArrayBuffer(layout.count * bytesPerPoint);
    const target = pointColumns(columns, layout.count);
    copyNumbers(bytes, layout, target);
    copyPartitions(bytes, layout, head.numbers, target.partition);
    const identifiers = new ColumnIdentifiers(this.#hasher, head.prefixes, target);
    const prefixes = identifiers.read(bytes, layout);
    return { count: layout.count, columns, partitions: head.partitions, prefixes };
  }
}

/** Returns the bytes at a place in memory where columns of doubles may begin. */
function aligned(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const isAligned = body.byteOffset % 8 === 0 && body.buffer instanceof ArrayBuffer;
  return isAligned ? (body as Uint8Array<ArrayBuffer>) : new Uint8Array(body);
}

function checkSum(bytes: Uint8Array, { checksumAt }: ColumnLayout): void {
  const sent = new DataView(bytes.buffer, bytes.byteOffset).getUint32(checksumAt, true);
  if (crc32(bytes.subarray(0, checksumAt)) !== sent)
    throw new ServiceError("checksum_mismatch", errors.checksum_mismatch.sentence);
}

/** Adding 0 turns -0 into 0 (M7), so that equal numbers have equal bits. */
function copyNumbers(
  { buffer, byteOffset }: Uint8Array<ArrayBuffer>,
  { count, stepAt, timestampAt, valueAt }: ColumnLayout,
  target: PointColumns,
): void {
  copyIntegers("step", new Float64Array(buffer, byteOffset + stepAt, count), stepMax, target.step);
  const times = new Float64Array(buffer, byteOffset + timestampAt, count);
  copyIntegers("timestampMs", times, timestampMsMax, target.timestamp);
  const values = new Float64Array(buffer, byteOffset + valueAt, count);
  for (let index = 0; index < count; index++) {
    const value = values[index];
    if (value - value !== 0) throw wrong(`metricValue[${index}] must be a finite number`);
    target.value[index] = value + 0;
  }
}

function copyIntegers(
  name: string,
  source: Float64Array,
  maximum: number,
  target: Float64Array,
): void {
  for (let index = 0; index < source.length; index++) {
    const value = source[index];
    const isWithin = value >= 0 && value <= maximum && Math.floor(value) === value;
    if (!isWithin) throw wrong(`${name}[${index}] must be an integer from 0 to ${maximum}`);
    target[index] = value + 0;
  }
}

function copyPartitions(
  { buffer, byteOffset }: Uint8Array<ArrayBuffer>,
  { count, partitionAt }: ColumnLayout,
  numbers: Uint32Array,
  target: Uint32Array,
): void {
  const source = new Uint32Array(buffer, byteOffset + partitionAt, count);
  for (let index = 0; index < count; index++) {
    const sent = source[index];
    if (sent >= numbers.length) {
      throw wrong(`partition[${index}] is ${sent}, and its head has ${numbers.length} partitions`);
    }
    target[index] = numbers[sent];
  }
}
