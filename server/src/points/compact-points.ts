import type { BlockReader } from "./blocks.ts";
import { decodeValues, planeRows, valueBlocks } from "./columns.ts";
import { IntegerRows } from "./integers.ts";
import type { Axis } from "./sorted-points.ts";
import type { Points } from "./tail.ts";

/**
 * Points of a chunk in few bytes, most of them as they were before compression. A chart that wants
 * a hundred points of eight thousand decodes little more than those. Floats that were wanted all,
 * as by a smoothed chart, are kept decoded from then on: it is usually drawn again.
 */
export class CompactPoints {
  readonly #count: number;
  readonly #step: IntegerRows;
  readonly #timestamp: IntegerRows;
  #value: ValueRows;

  /** Keeps the blocks of a chunk. `room` is memory for its values. */
  constructor(count: number, blocks: BlockReader, room: Float64Array) {
    const next = () => blocks.next();
    const [step, timestamp, ...value] = [next(), next(), ...valueBlocks(next)];
    blocks.finish();
    this.#count = count;
    this.#step = new IntegerRows(step, count);
    this.#timestamp = new IntegerRows(timestamp, count);
    this.#value = valueRows(value, room.subarray(0, count));
  }

  /** Bytes in memory, besides the blocks. */
  get bytes(): number {
    return this.#step.bytes + this.#timestamp.bytes + this.#value.bytes + 1_000;
  }

  /** Returns all points along an axis, in the room. */
  curve(axis: Axis, room: { x: Float64Array; value: Float64Array }) {
    const [x, value] = [room.x.subarray(0, this.#count), room.value.subarray(0, this.#count)];
    (axis === "step" ? this.#step : this.#timestamp).read(0, this.#count, x);
    const floats = this.#value.floats?.();
    if (floats !== undefined) this.#value = copyOf(floats);
    this.#value.read(0, this.#count, value);
    return { x, value };
  }

  /** Returns a range of points; they use `room` where it is given and large enough. */
  slice(start: number, end: number, room?: Points): Points {
    const read = (column: Pick<ValueRows, "read">, own: Float64Array | undefined) => {
      const rows = roomFor(end - start, own);
      column.read(start, end, rows);
      return rows;
    };
    return {
      step: read(this.#step, room?.step),
      timestamp: read(this.#timestamp, room?.timestamp),
      value: read(this.#value, room?.value),
    };
  }
}

interface ValueRows {
  bytes: number;
  /** Decodes them all, where they are floats in planes. */
  floats?: (() => Float32Array) | undefined;
  read(start: number, end: number, output: Float64Array): void;
}

function valueRows(blocks: readonly Uint8Array[], room: Float64Array): ValueRows {
  const planes = planeRows(blocks, room.length);
  if (planes !== undefined) return { bytes: 0, ...planes };
  decodeValues(() => blocks[0], room);
  return regular(room) ?? floats(room) ?? copyOf(room.slice());
}

function regular(column: Float64Array): ValueRows | undefined {
  const first = column[0];
  const difference = column.length > 1 ? column[1] - first : 0;
  for (let at = 0; at < column.length; at++) {
    if (!Object.is(column[at], first + at * difference)) return undefined;
  }
  return {
    bytes: 0,
    read(start, end, output) {
      for (let at = start; at < end; at++) output[at - start] = first + at * difference;
    },
  };
}

function floats(column: Float64Array): ValueRows | undefined {
  for (const each of column) if (Math.fround(each) !== each) return undefined;
  return copyOf(new Float32Array(column));
}

function copyOf(column: Float32Array | Float64Array): ValueRows {
  return {
    bytes: column.byteLength,
    read: (start, end, output) => output.set(column.subarray(start, end)),
  };
}

function roomFor(count: number, room: Float64Array | undefined): Float64Array {
  return room !== undefined && count <= room.length
    ? room.subarray(0, count)
    : new Float64Array(count);
}
