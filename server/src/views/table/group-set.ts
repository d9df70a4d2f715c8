import type { Field, GroupValue } from "@lossless/protocol";
import { ConfigKind } from "../../experiments/summaries/config.ts";
import { ownSet, passing, type QueryTerms } from "./compile-query.ts";
import { metaPath } from "./known-names.ts";
import { type ColumnField, ownColumn } from "./own-columns.ts";
import type { IdSet } from "./set-text.ts";
import type { SqlText } from "./sql-text.ts";

/** A group of experiments: fields, and the values that its members have. */
export interface SearchedGroup {
  fields: readonly Field[];
  /** A folder's value is its id here; one that no folder has is "". */
  values: readonly GroupValue[];
}

/** The sets that a member is in, and those that it is in none of. */
export function groupSets(
  terms: QueryTerms,
  { fields, values }: SearchedGroup,
  text: SqlText,
): { within: IdSet[]; without: IdSet[] } {
  const within: IdSet[] = [];
  const without: IdSet[] = [];
  for (const [at, field] of fields.entries()) {
    const value = values[at];
    const path = metaPath(field);
    if (path === undefined) {
      const own = text.part();
      within.push(ownSet(terms, isValue(terms, field, value, own), own));
      continue;
    }
    const key = terms.names.key(path);
    if (key === undefined) {
      if (value.kind !== "none") within.push(nothing);
      continue;
    }
    const leaf = `SELECT experiment FROM config_value WHERE key = ${text.bind(key)} AND element = -1
      ${passing(terms, "experiment", text)}`;
    if (value.kind === "none") without.push({ sql: leaf, isOnce: true, isOrdered: true });
    else within.push({ sql: `${leaf} AND ${isLeaf(value, text)}`, isOnce: true, isOrdered: true });
  }
  return { within, without };
}

const nothing: IdSet = { sql: "SELECT id FROM experiment WHERE 1 = 0", isOnce: true };

function isLeaf({ kind, text: wanted }: GroupValue, text: SqlText): string {
  const own = `kind = ${text.bind(ConfigKind[kind as keyof typeof ConfigKind])}`;
  return `${own} AND text = ${text.bind(wanted)}`;
}

function isValue(
  { nowMs }: QueryTerms,
  field: Field,
  { kind, text: wanted }: GroupValue,
  text: SqlText,
): string {
  const { name } = field as Field & { kind: "own" };
  const { sql, isText } = ownColumn(name as ColumnField, nowMs, text);
  if (kind === "none") return `(${sql} IS NULL)`;
  return isText ? `(${sql} = ${text.bind(wanted)})` : `(${sql} = ${text.number(Number(wanted))})`;
}
