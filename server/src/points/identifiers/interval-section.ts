import { BlockReader, encodeBlock } from "../blocks.ts";
import { decodeIntegers, encodeIntegers } from "../integers.ts";
import { CorruptData } from "../corrupt-data.ts";
import { decodePrefixes, encodePrefixes } from "../log-record.ts";
import { Intervals } from "./intervals.ts";

/**
 * The intervals of an identifier object: blocks with the prefixes, with the number of intervals of
 * each, and with first and last counter of every interval.
 */
export function encodeIntervals(intervals: ReadonlyMap<string, Intervals>): Uint8Array {
  if (intervals.size === 0) return new Uint8Array(0);
  const ranges = [...intervals.values()].flatMap((each) => [...each]);
  const columns = [
    Array.from(intervals.values(), ({ size }) => size),
    ranges.map(([first]) => first),
    ranges.map(([, last]) => last),
  ];
  const raw = columns.map((column) => encodeIntegers(Float64Array.from(column)));
  return Buffer.concat([encodePrefixes([...intervals.keys()]), ...raw].flatMap(encodeBlock));
}

export function decodeIntervals(bytes: Uint8Array, prefixCount: number): Map<string, Intervals> {
  const intervals = new Map<string, Intervals>();
  if (prefixCount === 0) {
    if (bytes.length > 0) throw new CorruptData("intervals without prefixes");
    return intervals;
  }
  const blocks = new BlockReader(bytes);
  const prefixes = decodePrefixes(blocks.next(), prefixCount);
  const sizes = integers(blocks, prefixCount);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const first = integers(blocks, total);
  const last = integers(blocks, total);
  blocks.finish();
  let at = 0;
  for (const [number, prefix] of prefixes.entries()) {
    const ranges = new Intervals();
    for (const end = at + sizes[number]; at < end; at++) ranges.addRange(first[at], last[at]);
    intervals.set(prefix, ranges);
  }
  return intervals;
}

function integers(blocks: BlockReader, count: number): Float64Array {
  const column = new Float64Array(count);
  decodeIntegers(blocks.next(), column);
  return column;
}
