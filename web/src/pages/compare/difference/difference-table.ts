import type { ComparedKey, ComparedValue, DifferenceReply } from "@lossless/protocol";
import { valueText } from "@lossless/protocol/query-value";
import type { Column } from "./column.ts";
import { countedText } from "../../../parts/words.ts";

export interface DifferenceCell {
  text: string;
  /** Whether the text is only a part of the value. */
  isCut: boolean;
  isMissing: boolean;
  /** Whether it differs from the reference. */
  differs: boolean;
}

export interface DifferenceRow {
  key: ComparedKey;
  /** The key without `meta.`, as people know it. */
  title: string;
  cells: DifferenceCell[];
}

/** Rows of keys with a cell for each column. */
export function differenceRows({ keys }: DifferenceReply, columns: readonly Column[]) {
  const reference = columns.find(({ isReference }) => isReference);
  return keys.map((key): DifferenceRow => {
    const cells = columns.map(({ at }) => {
      const value = valueAt(key, at);
      return {
        text: shownText(value),
        isCut: value?.isCut ?? false,
        isMissing: value === undefined,
        differs: reference !== undefined && key.valueOf[at] !== key.valueOf[reference.at],
      };
    });
    return { key, title: key.field.slice("meta.".length), cells };
  });
}

export function differenceCsv(reply: DifferenceReply, columns: readonly Column[]) {
  const rows = reply.keys.map((key) => [
    key.field,
    ...columns.map(({ at }) => valueAt(key, at)?.text ?? null),
  ]);
  return [["key", ...columns.map(({ title }) => title)], ...rows];
}

/** `5 of 41 keys`; if equal ones are shown too, with the number of differing ones. */
export function countsText({ keys, differingKeys, equalKeys, ...left }: DifferenceReply): string {
  const count = (number: number) => number.toLocaleString("en");
  const said = [
    `${count(differingKeys)} of ${countedText(differingKeys + equalKeys, "key")} ${differingKeys === 1 ? "differs" : "differ"}`,
  ];
  const shown = Math.min(keys.length, differingKeys);
  if (shown < differingKeys) said.push(`the first ${count(shown)} are shown`);
  if (left.hiddenKeys > 0)
    said.push(`${countedText(left.hiddenKeys, "key")} starting with _ hidden`);
  if (left.uncomparedValues > 0)
    said.push(
      `${countedText(left.uncomparedValues, "value")} not compared, because there are too many keys or the values are too long`,
    );
  return said.join(", ");
}

export interface KeyFilter {
  /** A test of the query language. */
  text: string;
  /** Number of experiments that pass it. */
  experiments: number;
}

/** Tests that find the experiments with each value of a key, and those without it. */
export function filtersOf({ field, values, valueOf }: ComparedKey): KeyFilter[] {
  const filters = values.flatMap((value, at) => {
    const text = testOf(field, value);
    return text === undefined ? [] : [{ text, experiments: countOf(valueOf, at) }];
  });
  const missing = countOf(valueOf, null);
  if (missing > 0) filters.push({ text: `not ${field}`, experiments: missing });
  return filters;
}

function countOf(places: readonly (number | null)[], wanted: number | null): number {
  return places.filter((place) => place === wanted).length;
}

/**
 * Bytes of a value that the query language compares; of longer ones only the beginning is stored.
 */
const knownBytesMax = 256;

/** The test that a key has a value; undefined where the language cannot express it. */
export function testOf(field: string, { kind, text, isCut }: ComparedValue): string | undefined {
  if (isCut || new TextEncoder().encode(text).length > knownBytesMax) return undefined;
  const isScalar = kind === "number" || kind === "boolean" || kind === "null";
  return `${field} = ${isScalar ? text : valueText({ kind: "text", text })}`;
}

function valueAt({ values, valueOf }: ComparedKey, at: number): ComparedValue | undefined {
  const place = valueOf[at];
  return place === null ? undefined : values[place];
}

/** Writes a value; a text that reads like another type has quotation marks. */
export function shownText(value: ComparedValue | undefined): string {
  if (value === undefined) return "–";
  const { kind, text, isCut } = value;
  const readsElse = /^(?:|null|true|false|–|-?\d[\d.]*(?:e[+-]?\d+)?|[[{].*)$/is.test(text);
  return (kind === "text" && readsElse ? JSON.stringify(text) : text) + (isCut ? "…" : "");
}
