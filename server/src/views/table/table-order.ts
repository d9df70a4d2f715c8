import type { Field } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { QueryTerms } from "./compile-query.ts";
import { metaPath } from "./known-names.ts";
import { hasStat, sortedStat } from "./metric-stats.ts";
import { type ColumnField, type Column, isRunning, sortColumn } from "./own-columns.ts";
import type { SqlText } from "./sql-text.ts";

export interface SortedBy {
  field: Field;
  descending: boolean;
}

/** One expression that rows are sorted by. What is null stands last in either direction. */
interface Term extends Column {
  descending: boolean;
}

/** A value of each term; then the experiment's id tells equal ones apart. */
export interface RowPosition {
  values: readonly (string | number | null)[];
  id: string;
}

/**
 * The rows of a table come from parts, one after the other: where the first field stands in a table
 * of its own, or few have it, first those that have it, then those that do not.
 */
export interface SortPart {
  /** The table with the first field's values, and the condition on its rows. */
  strip?: { table: string; condition(text: SqlText): string };
  /** The condition that tells an experiment of this part from those of the other. */
  isIn?: (text: SqlText) => string;
  terms(text: SqlText): Term[];
}

/** The parts of a sort; a field that no experiment has sorts nothing. */
export function partsOf(sort: readonly SortedBy[], terms: QueryTerms): SortPart[] {
  const [first, ...rest] = sort;
  const strip = first && stripOf(first.field, terms);
  const restTerms = (text: SqlText, id: string) =>
    rest.flatMap((one) => termsOf(one, terms, text, id));
  if (first === undefined || strip === "none")
    return [{ terms: (text) => restTerms(text, "e.id") }];
  if (strip === undefined) {
    const ofFirst = (text: SqlText) => termsOf(first, terms, text, "e.id");
    const all = (text: SqlText) => [...ofFirst(text), ...restTerms(text, "e.id")];
    if (first.field.kind !== "own" || first.field.name !== "silent") return [{ terms: all }];
    return [
      { isIn: () => isRunning, terms: all },
      { isIn: () => `NOT (${isRunning})`, terms: (text) => restTerms(text, "e.id") },
    ];
  }
  const { table, condition } = strip;
  const inStrip = { table, condition: (text: SqlText) => condition(text, "s.") };
  const present = strip.values.map((value) => termOf(value, first.descending));
  return [
    { strip: inStrip, terms: (text) => [...present, ...restTerms(text, "s.experiment")] },
    {
      isIn: (text) => `e.id NOT IN (SELECT experiment FROM ${table} WHERE ${condition(text, "")})`,
      terms: (text) => restTerms(text, "e.id"),
    },
  ];
}

/** The place of a row whose terms have these values. */
export function placeOf(
  terms: readonly Term[],
  id: string,
  values: RowPosition["values"],
): RowPosition {
  const written = values.map((value, at) =>
    typeof value === "number" ? (terms[at].lasting?.write(value) ?? value) : value,
  );
  return { id, values: written };
}

/** Whether a place, which came from a client, is valid for rows with these terms. */
export function isPlaceOf(terms: readonly Term[], { values }: RowPosition): boolean {
  return (
    values.length === terms.length &&
    terms.every(({ isNullable, isText, lasting }, at) => {
      const value = values[at];
      if (value === null) return isNullable;
      if (lasting !== undefined)
        return typeof value === "string" && lasting.read(value) !== undefined;
      return typeof value === (isText ? "string" : "number");
    })
  );
}

/** The condition that a row stands behind a place. */
export function isBehind(
  terms: readonly Term[],
  place: RowPosition,
  text: SqlText,
  id: string,
): string {
  const behind: string[] = [];
  const equal: string[] = [];
  for (const [at, { sql, isNullable, descending, lasting }] of terms.entries()) {
    const written = place.values[at];
    if (written === null) {
      equal.push(`${sql} IS NULL`);
      continue;
    }
    const value = lasting === undefined ? written : lasting.read(String(written))!;
    const bound = typeof value === "number" ? text.number(value) : text.bind(value);
    const beyond = `${sql} ${descending ? "<" : ">"} ${bound}`;
    behind.push([...equal, isNullable ? `(${beyond} OR ${sql} IS NULL)` : beyond].join(" AND "));
    equal.push(`${sql} = ${bound}`);
  }
  behind.push([...equal, `${id} > ${text.bind(place.id)}`].join(" AND "));
  return `(${behind.map((one) => `(${one})`).join(" OR ")})`;
}

export function orderText(terms: readonly Term[], id: string): string {
  const words = terms.flatMap(({ sql, isNullable, descending }) => {
    const direction = `${sql}${descending ? " DESC" : ""}`;
    return isNullable ? [`(${sql} IS NULL)`, direction] : [direction];
  });
  return [...words, id].join(", ");
}

interface Strip {
  table: string;
  condition: (text: SqlText, alias: string) => string;
  /** Expressions of its rows, `s`. */
  values: StripValue[];
}

/** A rank goes the same way in both directions. */
type StripValue = Column & { isRank?: boolean };

function termOf({ isRank = false, ...column }: StripValue, descending: boolean): Term {
  return { ...column, descending: descending && !isRank };
}

/** Numbers stand before texts; what is null in the meta counts as missing. */
const metaValues: Column[] = [
  { sql: "s.number", isNullable: true, isText: false },
  { sql: "s.text", isNullable: false, isText: true },
];

function stripOf(field: Field, { names }: QueryTerms): Strip | "none" | undefined {
  const path = metaPath(field);
  if (path !== undefined) {
    const key = names.key(path);
    if (key === undefined) return "none";
    const condition = (text: SqlText, alias: string) =>
      `${alias}key = ${text.bind(key)} AND ${alias}element = -1 AND ${alias}kind <> 0`;
    return { table: "config_value", condition, values: metaValues };
  }
  if (field.kind !== "metric") return undefined;
  const metric = names.metric(field);
  if (metric === undefined) return "none";
  const condition = (text: SqlText, alias: string) =>
    `${alias}metric = ${text.bind(metric)}${hasStat(field.stat, alias)}`;
  const values = sortedStat(field.stat, "s.").map((value) => {
    return { ...value, isNullable: false, isText: false };
  });
  return { table: "metric_summary", condition, values };
}

/** The terms of a field that is not the first: looked up for each experiment. */
function termsOf(
  { field, descending }: SortedBy,
  terms: QueryTerms,
  text: SqlText,
  id: string,
): Term[] {
  const strip = stripOf(field, terms);
  if (strip === "none") return [];
  if (strip !== undefined) {
    // A join and not a SELECT a row: PostgreSQL reads the strip once for all rows.
    const alias = text.leftJoin((o) => {
      const condition = `${strip.condition(text, `${o}.`)} AND ${o}.experiment = ${id}`;
      return `${strip.table} ${o} ON ${condition}`;
    });
    return strip.values.map(({ sql, ...value }) =>
      termOf({ ...value, sql: sql.replaceAll("s.", `${alias}.`), isNullable: true }, descending),
    );
  }
  const { name } = field as Field & { kind: "own" };
  const { sql, isReversed = false, ...column } = sortColumn(name as ColumnField, terms, text);
  const isLong = name === "description" || name === "error";
  const shown = isLong ? `substr(${sql}, 1, ${limits.tableTextCharactersMax})` : sql;
  return [{ ...column, sql: shown, descending: descending !== isReversed }];
}
