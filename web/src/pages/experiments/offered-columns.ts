import { isFirstKey } from "./usual-columns.ts";
import type { CellValue } from "./cell-text.ts";

/** Columns of a question of which only those are shown that have something to tell. */
export interface Offered {
  /** Keys of configs, the most useful first. */
  keys: readonly string[];
}

/** The fields of offered columns, in the order in which they are shown. */
export function offeredFields({ keys }: Offered): readonly string[] {
  return ["tag", ...keys];
}

/** The rows that are read. */
export interface ReadRows {
  rows: readonly Row[];
  /** The first, which decide about keys. */
  first: readonly Row[];
  /** The fields of the values. */
  fields: readonly string[];
}

interface Row {
  values: readonly CellValue[];
}

const keysMax = 4;
/** Longer texts, prompts and lists, are read on the page of the run. */
const charactersMax = 40;
/** Rows from which a text that is another one in each of them is a path or a name. */
const namedRows = 5;

/** The offered columns to show: tags, if any row has them, and keys in which the rows differ. */
export function offeredShown({ keys }: Offered, read: ReadRows): readonly string[] {
  const { rows, first, fields } = read;
  const valuesOf = (field: string, of: readonly Row[]) => {
    const at = fields.indexOf(field);
    return of.flatMap(({ values }) => values[at] ?? []);
  };
  const isTagged = valuesOf("tag", rows).some((value) => value !== "" && value !== "[]");
  return [...(isTagged ? ["tag"] : []), ...differing(keys, (field) => valuesOf(field, first))];
}

/** Keys that differ: first those that people look for, then those that several rows share. */
function differing(
  keys: readonly string[],
  valuesOf: (field: string) => readonly CellValue[],
): readonly string[] {
  const known = keys.flatMap((field) => {
    const values = valuesOf(field);
    const different = new Set(values).size;
    const isLong = values.some((value) => String(value).length > charactersMax);
    if (different < 2 || isLong) return [];
    const isSingle = different === values.length && !isFirstKey(field);
    const isNamed = isSingle && values.length >= namedRows && typeof values[0] === "string";
    return isNamed ? [] : [{ field, rows: values.length, isSingle }];
  });
  const most = Math.max(...known.map(({ rows }) => rows));
  return known
    .filter(({ rows }) => rows * 2 >= most)
    .sort((one, other) => Number(one.isSingle) - Number(other.isSingle))
    .slice(0, keysMax)
    .map(({ field }) => field);
}
