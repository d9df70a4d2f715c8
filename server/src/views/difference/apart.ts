import { setImmediate } from "node:timers/promises";
import type { DifferenceBody, DifferenceReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { countFound, type Table } from "../table/table-search.ts";
import { readFirst } from "../table/table-pages.ts";
import { isHidden } from "./compared-metas.ts";
import { keyTest } from "./key-test.ts";
import { KeyRows } from "./key-rows.ts";
import { KeyShares, type Sides } from "./key-shares.ts";

type Apart = NonNullable<DifferenceReply["apart"]>;

/**
 * Returns the keys and values that set some experiments apart from all others that a query finds.
 */
export async function readApart(
  reader: Reader,
  table: Table,
  named: readonly string[],
  { text = "", hiddenKeys = false, keysMax = limits.differenceKeysMax }: DifferenceBody,
): Promise<Apart> {
  const { others, isWhole } = await readOthers(reader, table, named);
  const together = { named: named.length, others: others.size };
  const othersFound = isWhole ? others.size : await countFound(reader, table.search, {});
  const counted = { ...together, othersFound, keysFound: 0, keysCounted: 0 };
  if (together.named === 0 || together.others === 0) return { ...counted, keys: [] };
  const all = await readKeys(reader, named, others);
  const isWanted = keyTest(text);
  const wanted = all.filter(({ path }) => (hiddenKeys || !isHidden(path)) && isWanted(path));
  const sides = sidesOf(named, others);
  const keys: Apart["keys"] = [];
  const read = new KeyRows(reader, sides.keys(), limits.differenceValuesMax);
  for (const { id, path } of wanted.slice(0, limits.differenceKeysMax)) {
    const shares = new KeyShares(`meta.${path}`);
    const sideOf = inOrder(sides);
    for await (const found of read.of(id)) {
      for (const rows of found) {
        const side = sideOf(rows[0].experiment);
        if (side !== undefined) shares.add(side, rows);
      }
    }
    if (read.isSpent) break;
    keys.push(shares.furthest(together));
    await setImmediate();
  }
  const furthest = keys
    .toSorted(
      (left, right) => right.distance - left.distance || (left.field < right.field ? -1 : 1),
    )
    .slice(0, keysMax);
  return { ...counted, keysFound: wanted.length, keysCounted: keys.length, keys: furthest };
}

async function readOthers(reader: Reader, table: Table, named: readonly string[]) {
  const max = limits.differenceOthersMax;
  const { ids } = await readFirst(reader, table, max + named.length);
  const others = new Set(ids);
  for (const id of named) others.delete(id);
  const isWhole = ids.length < max + named.length;
  return { others: isWhole ? others : new Set([...others].slice(0, max)), isWhole };
}

/** Returns the side of each experiment, in the order of the ids. */
function sidesOf(named: readonly string[], others: ReadonlySet<string>): Map<string, keyof Sides> {
  const sides = new Map<string, keyof Sides>();
  for (const id of others) sides.set(id, "others");
  for (const id of named) sides.set(id, "named");
  return new Map([...sides].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/**
 * Returns the side of ids that come in their order: a look-up of each costs more than reading its
 * row.
 */
function inOrder(sides: ReadonlyMap<string, keyof Sides>) {
  const ids = [...sides.keys()];
  const those = [...sides.values()];
  let at = 0;
  return (id: string): keyof Sides | undefined => {
    if (ids[at] !== id) while (at < ids.length && ids[at] < id) at++;
    return ids[at] === id ? those[at++] : undefined;
  };
}

interface FoundKey {
  id: number;
  path: string;
}

/**
 * Reads the keys that any of the experiments has: first those of the named ones, each by the number
 * of experiments that have it.
 */
async function readKeys(
  reader: Reader,
  named: readonly string[],
  others: ReadonlySet<string>,
): Promise<FoundKey[]> {
  const ofNamed = await countKeys(reader, named);
  const ofOthers = await countKeys(reader, [...others]);
  const ids = [...new Set([...ofNamed.keys(), ...ofOthers.keys()])];
  const paths = new Map<number, string>();
  for (let start = 0; start < ids.length; start += idsPerRead) {
    const rows = await reader.all<{ id: number; path: string }>(
      `SELECT id, path FROM config_key WHERE ${reader.isOneOfIntegers("id", "$1")}`,
      JSON.stringify(ids.slice(start, start + idsPerRead)),
    );
    for (const { id, path } of rows) paths.set(id, path);
  }
  const count = (id: number) => (ofNamed.get(id) ?? 0) + (ofOthers.get(id) ?? 0);
  return ids
    .toSorted(
      (left, right) =>
        Number(ofNamed.has(right)) - Number(ofNamed.has(left)) ||
        count(right) - count(left) ||
        left - right,
    )
    .map((id) => ({ id, path: paths.get(id)! }));
}

const idsPerRead = 1_000;

/** Counts the experiments that have each key. */
async function countKeys(reader: Reader, ids: readonly string[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let start = 0; start < ids.length; start += idsPerRead) {
    const rows = await reader.all<{ keys: string }>(
      `SELECT keys FROM config_keys WHERE ${reader.isOneOf("experiment", "$1")}`,
      JSON.stringify(ids.slice(start, start + idsPerRead)),
    );
    for (const { keys } of rows)
      for (const key of JSON.parse(keys) as number[]) counts.set(key, (counts.get(key) ?? 0) + 1);
    await setImmediate();
  }
  return counts;
}
