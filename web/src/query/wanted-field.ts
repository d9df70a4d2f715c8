import type { QueryError } from "@lossless/protocol/query-error";
import {
  type Field,
  fieldText,
  parseField,
  type Stat,
  stats,
} from "@lossless/protocol/query-field";

/** A name in a query that is no field, as somebody writes it who reads the head of a column. */
export interface WantedField {
  /** As it is written, from `start` to `end`. */
  word: string;
  start: number;
  end: number;
  /** Without the statistic. */
  name: string;
  stat: Stat | undefined;
  /** The test of a text that stands behind it, such as `= muon`. */
  test: string | undefined;
}

/** The name before an operator that is no field: `lr`, `val/loss.min` or `val/loss min`. */
export function wantedField(query: string, error: QueryError | undefined): WantedField | undefined {
  const { unknownName: last, position: at } = error ?? {};
  if (last === undefined || at === undefined || !query.startsWith(last, at)) return undefined;
  const end = at + last.length;
  const [, test] = /^\s*(==?\s*(?:"[^"]*"|[^\s()"]+))/.exec(query.slice(end)) ?? [];
  const isText = test !== undefined && Number.isNaN(Number(test.replace(/^=+\s*/, "")));
  const behind = { end, test: isText ? test : undefined };
  const [, before] = /(?:^|[\s(])([^\s()"]+)\s+$/.exec(query.slice(0, at)) ?? [];
  if (isStat(last) && before !== undefined && !/^(and|or|not)$/i.test(before)) {
    const start = query.lastIndexOf(before, at - 1);
    return { ...behind, word: query.slice(start, end), start, name: before, stat: last };
  }
  const [, name, stat] = /^(.+)\.(\w+)$/.exec(last) ?? [];
  if (stat !== undefined && isStat(stat)) return { ...behind, word: last, start: at, name, stat };
  return { ...behind, word: last, start: at, name: last, stat: undefined };
}

/** A field with the wanted statistic; undefined: only metrics have statistics. */
export function withStat(text: string, stat: Stat | undefined): string | undefined {
  if (stat === undefined) return text;
  const field = fieldIn(text);
  return field?.kind === "metric" ? fieldText({ ...field, stat }) : undefined;
}

/** Undefined: the text is no field. */
export function fieldIn(text: string): Field | undefined {
  try {
    return parseField(text);
  } catch {
    return undefined;
  }
}

/** The name of a field as a table has it above a column, without the statistic. */
export function nameOf(text: string): string {
  const field = fieldIn(text);
  if (field === undefined) return text;
  if (field.kind === "own") return field.name;
  return field.kind === "meta" ? field.path.join(".") : field.name;
}

/** Whether the last parts of a field's name are the word. */
export function endsWith(field: string, word: string): boolean {
  const name = nameOf(field);
  return name.endsWith(word) && /^[./]?$/.test(name.at(-word.length - 1) ?? "");
}

function isStat(word: string): word is Stat {
  return (stats as readonly string[]).includes(word);
}
