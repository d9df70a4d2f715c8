import type { DrawnColumns } from "./chunk.ts";
import type { Axis } from "./sorted-points.ts";
import type { Points } from "./tail.ts";

/**
 * Decoded points in the fewest bytes that restore them exactly and at once: none for regular
 * columns, four bytes for integers close together and for floats of 32 bits.
 */
export class CompactPoints {
  /**
   * Bytes in memory, including those of timestamps less than 49 days apart once they are requested.
   */
  readonly bytes: number;
  readonly #count: number;
  readonly #step: CompactColumn;
  #timestamp: CompactColumn | undefined;
  /** Compressed timestamps, until they are opened. */
  #timestamps: DrawnColumns["timestamp"] | undefined;
  readonly #value: CompactColumn;

  /** Makes copies of all that it keeps. */
  constructor({ step, timestamp, timestampBytes, value }: DrawnColumns) {
    this.#count = step.length;
    this.#step = regular(step) ?? offsets(step) ?? doubles(step);
    this.#timestamps = timestamp;
    // Regular timestamps take no memory; others are opened at first use.
    if (timestampBytes < 32) this.#openTimestamp();
    this.#value =
      value instanceof Float32Array
        ? widened(value)
        : (regular(value) ?? floats(value) ?? doubles(value));
    const opened = this.#timestamp?.bytes ?? offsetBytes * this.#count + timestampBytes;
    this.bytes = this.#step.bytes + opened + this.#value.bytes + 1_000;
  }

  #openTimestamp(): CompactColumn {
    const timestamp = this.#timestamps!();
    this.#timestamps = undefined;
    return (this.#timestamp = regular(timestamp) ?? offsets(timestamp) ?? doubles(timestamp));
  }

  /** Returns all points along an axis. */
  curve(axis: Axis, room: { x: Float64Array; value: Float64Array }) {
    const along = axis === "step" ? this.#step : (this.#timestamp ?? this.#openTimestamp());
    return {
      x: along.slice(0, this.#count, room.x),
      value: this.#value.slice(0, this.#count, room.value),
    };
  }

  /** Returns a range of points; they may use `room` where it is given and large enough. */
  slice(start: number, end: number, room?: Points): Points {
    return {
      step: this.#step.slice(start, end, room?.step),
      timestamp: (this.#timestamp ?? this.#openTimestamp()).slice(start, end, room?.timestamp),
      value: this.#value.slice(start, end, room?.value),
    };
  }
}

interface CompactColumn {
  bytes: number;
  slice(start: number, end: number, room?: Float64Array): Float64Array;
}

function regular(column: Float64Array): CompactColumn | undefined {
  const first = column[0];
  const difference = column.length > 1 ? column[1] - first : 0;
  for (let at = 0; at < column.length; at++) {
    if (!Object.is(column[at], first + at * difference)) return undefined;
  }
  return {
    bytes: 0,
    slice(start, end, room) {
      const slice = roomFor(end - start, room);
      for (let at = start; at < end; at++) slice[at - start] = first + at * difference;
      return slice;
    },
  };
}

const offsetBytes = Uint32Array.BYTES_PER_ELEMENT;

/** Integers from 0 to 2^53, less than 2^32 apart. */
function offsets(column: Float64Array): CompactColumn | undefined {
  let least = column[0];
  let largest = column[0];
  for (const each of column) {
    if (each < least) least = each;
    if (each > largest) largest = each;
  }
  if (largest - least >= 2 ** 32) return undefined;
  const from = new Uint32Array(column.length);
  for (let at = 0; at < column.length; at++) from[at] = column[at] - least;
  return {
    bytes: from.byteLength,
    slice(start, end, room) {
      const slice = roomFor(end - start, room);
      for (let at = start; at < end; at++) slice[at - start] = least + from[at];
      return slice;
    },
  };
}

function floats(column: Float64Array): CompactColumn | undefined {
  const narrow = new Float32Array(column);
  for (let at = 0; at < column.length; at++) if (narrow[at] !== column[at]) return undefined;
  return widened(narrow);
}

function widened(narrow: Float32Array): CompactColumn {
  return {
    bytes: narrow.byteLength,
    slice(start, end, room) {
      const slice = roomFor(end - start, room);
      slice.set(narrow.subarray(start, end));
      return slice;
    },
  };
}

function doubles(column: Float64Array): CompactColumn {
  const own = column.slice();
  return { bytes: own.byteLength, slice: (start, end) => own.subarray(start, end) };
}

function roomFor(count: number, room: Float64Array | undefined): Float64Array {
  return room !== undefined && count <= room.length
    ? room.subarray(0, count)
    : new Float64Array(count);
}
