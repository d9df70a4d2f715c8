import type { ApartKey, ComparedKey, DifferenceReply } from "@lossless/protocol";
import { countedText, countText } from "../../../parts/words.ts";
import { shownText, testOf } from "../difference/difference-table.ts";

type Apart = NonNullable<DifferenceReply["apart"]>;

/** A count of experiments of a side, and the side's size. */
export interface Share {
  count: number;
  of: number;
}

/** A key with the test on it that distinguishes the sides best. */
export interface ApartRow {
  field: string;
  /** The key without `meta.`, as people know it. */
  title: string;
  /** The test, in words. */
  test: string;
  /** The test in the query language. */
  filter: string;
  a: Share;
  b: Share;
  /** The difference of the two shares, in hundredths. */
  hundredths: number;
}

/** Rows of keys; keys distributed equally over both sides are left out. */
export function apartRows({ keys, named, others }: Apart): ApartRow[] {
  return keys.filter(({ distance }) => distance > 0).map((key) => rowOf(key, named, others));
}

function rowOf(key: ApartKey, named: number, others: number): ApartRow {
  const { field, test, distance } = key;
  return {
    field,
    title: field.replace(/^meta\./, ""),
    test: test === field ? "there is one" : test.slice(field.length + 1),
    filter: test,
    a: { count: key.named, of: named },
    b: { count: key.others, of: others },
    hundredths: Math.round(distance * 100),
  };
}

/** A value of a key, and the number of experiments of either side that have it. */
export interface ValueShares {
  text: string;
  isMissing: boolean;
  /** Undefined where the query language cannot express it. */
  filter: string | undefined;
  a: number;
  b: number;
}

/** All values of a key, most frequent first; and the experiments without it. */
export function valueShares(
  { field, values, valueOf }: ComparedKey,
  ids: readonly string[],
  sides: { a: ReadonlySet<string>; b: ReadonlySet<string> },
): ValueShares[] {
  const sharesOf = (place: number | null) => {
    const having = ids.filter((_, at) => valueOf[at] === place);
    const count = (side: ReadonlySet<string>) => having.filter((id) => side.has(id)).length;
    return { a: count(sides.a), b: count(sides.b) };
  };
  const all = values.map((value, place): ValueShares => ({
    text: shownText(value),
    isMissing: false,
    filter: testOf(field, value),
    ...sharesOf(place),
  }));
  const missing = { text: "–", isMissing: true, filter: `not ${field}`, ...sharesOf(null) };
  return [...all, missing]
    .filter(({ a, b }) => a + b > 0)
    .sort((one, other) => other.a + other.b - one.a - one.b);
}

/** Says what was compared, and what was not. */
export function apartText(apart: Apart, rows: readonly ApartRow[], late: number): string {
  const { keysFound, keysCounted, others, othersFound } = apart;
  const said = [
    `${countText(rows.length)} of ${countedText(keysFound, "key")} ${rows.length === 1 ? "tells" : "tell"} A from B`,
  ];
  if (keysCounted < keysFound)
    said.push(`only the ${countText(keysCounted)} keys that most experiments have were counted`);
  if (others < othersFound)
    said.push(
      `only the newest ${countText(others)} of ${countText(othersFound)} other experiments were counted`,
    );
  if (late > 0)
    said.push(`the meta of ${countedText(late, "experiment")} is still being processed`);
  return said.join(", ");
}

/** Cautions about the counts, in particular for few experiments. */
export function cautionText({ named, others, keysFound }: Apart): string {
  const few = Math.min(named, others);
  const words = "A key that tells the sides apart need not be the reason for their difference.";
  if (few >= fewExperiments) return words;
  const keys = countedText(keysFound, "key");
  return `${words} With only ${countedText(few, "experiment")} on one side, some of ${keys} may tell A from B by chance.`;
}

/** Experiments of a side below which many keys differ by chance. */
const fewExperiments = 10;
