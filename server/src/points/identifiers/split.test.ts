import assert from "node:assert/strict";
import { test } from "node:test";
import { payloadFingerprint } from "../fingerprint.ts";
import type { LogRecord } from "../log-record.ts";
import { bytesPerPoint, counterFlag, pointColumns } from "../point-batch.ts";
import { counterHigh, counterLow, counterStart, counterValue } from "./counter.ts";
import { IdentifierHasher } from "./hash.ts";
import { splitIdentifiers } from "./split.ts";

const hasher = new IdentifierHasher(Uint32Array.of(1, 2, 3, 4));

/** A log record whose point i has identifier ids[i], partition i % 5 and step i. */
function recordOf(ids: string[]): LogRecord {
  const columns = pointColumns(new ArrayBuffer(ids.length * bytesPerPoint), ids.length);
  const prefixes: string[] = [];
  for (const [i, id] of ids.entries()) {
    columns.step[i] = i;
    columns.partition[i] = i % 5;
    const start = counterStart(id);
    if (start < 0) {
      hasher.hash(id, columns.identifier, 4 * i);
      continue;
    }
    const prefix = id.slice(0, start - 1);
    if (!prefixes.includes(prefix)) prefixes.push(prefix);
    const counter = counterValue(id, start);
    const words = [prefixes.indexOf(prefix), 0, counterHigh(counter), counterLow(counter)];
    columns.identifier.set(words, 4 * i);
    columns.partition[i] += counterFlag;
  }
  return { count: ids.length, columns, prefixes };
}

function hashed(records: LogRecord[]): string[] {
  const { hashes, fingerprints } = splitIdentifiers(records, hasher);
  assert.equal(hashes.length, 3 * fingerprints.length);
  return Array.from(fingerprints, (each, i) => `${hashes.slice(3 * i, 3 * i + 3).join()} ${each}`);
}

function expected(id: string, i: number): string {
  const hash = new Uint32Array(4);
  hasher.hash(id, hash, 0);
  return `${hash.slice(0, 3).join()} ${payloadFingerprint(i % 5, i, 0, 0)}`;
}

const range = (prefix: string, first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${first + i}`);

test("a prefix becomes intervals from sixteen members an interval on", () => {
  const dense = range("dense", 2 ** 53 - 16, 16);
  const sparse = range("sparse", 0, 15);
  const gaps = [...range("gaps", 0, 16), ...range("gaps", 100, 15)];
  const twice = [...range("twice", 100, 16), ...range("twice", 0, 16)];
  const ids = [...dense, ...sparse, ...gaps, ...twice, "0b4ff9f6-8d51-4e4b-9a5e-3f6f6d8e2a10"];
  const { intervals, prefixes } = splitIdentifiers([recordOf(ids)], hasher);
  assert.deepEqual(prefixes, ["dense", "twice"]);
  assert.deepEqual([...intervals.keys()], prefixes);
  assert.deepEqual([...intervals.get("dense")!], [[2 ** 53 - 16, 2 ** 53 - 1]]);
  assert.deepEqual(
    [...intervals.get("twice")!],
    [
      [0, 15],
      [100, 115],
    ],
  );
  const isHashed = (id: string): boolean => !id.startsWith("dense") && !id.startsWith("twice");
  const want = ids.flatMap((id, i) => (isHashed(id) ? [expected(id, i)] : []));
  assert.deepEqual(hashed([recordOf(ids)]), want);
});

test("the members of a prefix are counted over all records, whatever its number in each", () => {
  const records = [
    recordOf(["x-1", ...range("p", 0, 10), "a"]),
    recordOf(range("p", 10, 10)),
    recordOf([...range("y", 5, 2), ...range("p", 20, 3)]),
  ];
  const { intervals } = splitIdentifiers(records, hasher);
  assert.deepEqual(
    [...intervals].map(([prefix, ranges]) => [prefix, ...ranges]),
    [["p", [0, 22]]],
  );
  assert.deepEqual(hashed(records), [
    expected("x-1", 0),
    expected("a", 11),
    expected("y-5", 0),
    expected("y-6", 1),
  ]);
});

test("nothing at all", () => {
  const { hashes, intervals, prefixes } = splitIdentifiers([], hasher);
  assert.deepEqual([hashes.length, intervals.size, prefixes.length], [0, 0, 0]);
});
