import { payloadFingerprint } from "../fingerprint.ts";
import type { LogRecord } from "../log-record.ts";
import { counterFlag } from "../point-batch.ts";
import type { RunContent } from "./build-run.ts";
import { counterOf } from "./counter.ts";
import type { IdentifierHasher } from "./hash.ts";
import { Intervals } from "./intervals.ts";

/** The identifiers of a seal, as stored. */
export interface SplitIdentifiers extends RunContent {
  intervals: Map<string, Intervals>;
  /** The prefixes of `intervals`: the segment's prefix table, in its order. */
  prefixes: string[];
}

/**
 * Divides the identifiers of log records: counters of a prefix become intervals where there are at
 * least 16 to an interval (an interval costs as much as a hash and finds its payload only through a
 * chunk), all other identifiers are hashed. The same prefix may be treated differently in the next
 * seal: a counter is looked up in both.
 */
export function splitIdentifiers(
  records: readonly LogRecord[],
  hasher: Pick<IdentifierHasher, "hash">,
): SplitIdentifiers {
  const intervals = denseIntervals(records);
  let count = 0;
  for (const record of records) count += hashedIn(record, intervals);
  const hashes = new Uint32Array(3 * count);
  const fingerprints = new Uint32Array(count);
  const hash = new Uint32Array(4);
  let at = 0;
  for (const record of records) {
    const isKept = record.prefixes.map((prefix) => intervals.has(prefix));
    const { step, timestamp, value, identifier, partition } = record.columns;
    for (let i = 0; i < record.count; i++) {
      const isCounter = partition[i] >= counterFlag;
      if (isCounter) {
        if (isKept[identifier[4 * i]]) continue;
        const counter = counterOf(identifier[4 * i + 2], identifier[4 * i + 3]);
        hasher.hash(`${record.prefixes[identifier[4 * i]]}-${counter}`, hash, 0);
      }
      const words = isCounter ? hash : identifier;
      const from = isCounter ? 0 : 4 * i;
      hashes[3 * at] = words[from];
      hashes[3 * at + 1] = words[from + 1];
      hashes[3 * at + 2] = words[from + 2];
      const number = isCounter ? partition[i] - counterFlag : partition[i];
      fingerprints[at] = payloadFingerprint(number, step[i], timestamp[i], value[i]);
      at++;
    }
  }
  return { hashes, fingerprints, intervals, prefixes: [...intervals.keys()] };
}

/**
 * An interval, with its part of a chunk's identifier column, must be clearly cheaper than hashes.
 */
export const membersPerInterval = 16;

function denseIntervals(records: readonly LogRecord[]): Map<string, Intervals> {
  const intervals = new Map<string, Intervals>();
  for (const [prefix, counters] of countersByPrefix(records)) {
    if (counters.length < membersPerInterval) continue;
    const ranges = new Intervals();
    for (const counter of Float64Array.from(counters).sort()) ranges.add(counter);
    if (ranges.count / ranges.size >= membersPerInterval) intervals.set(prefix, ranges);
  }
  return intervals;
}

function countersByPrefix(records: readonly LogRecord[]): Map<string, number[]> {
  const byPrefix = new Map<string, number[]>();
  for (const { count, columns, prefixes } of records) {
    const lists = prefixes.map((prefix) => {
      const known = byPrefix.get(prefix) ?? [];
      byPrefix.set(prefix, known);
      return known;
    });
    for (let i = 0; i < count; i++) {
      if (columns.partition[i] < counterFlag) continue;
      const { identifier } = columns;
      lists[identifier[4 * i]].push(counterOf(identifier[4 * i + 2], identifier[4 * i + 3]));
    }
  }
  return byPrefix;
}

function hashedIn(record: LogRecord, intervals: ReadonlyMap<string, Intervals>): number {
  const isKept = record.prefixes.map((prefix) => intervals.has(prefix));
  let count = 0;
  for (let i = 0; i < record.count; i++) {
    const isInterval =
      record.columns.partition[i] >= counterFlag && isKept[record.columns.identifier[4 * i]];
    if (!isInterval) count++;
  }
  return count;
}
