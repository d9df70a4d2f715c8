import type { Field, GroupValue } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { ConfigKind } from "../../experiments/summaries/config.ts";
import type { QueryTerms } from "../table/compile-query.ts";
import { readFoldersAbove } from "../table/folder-order.ts";
import { metaPath } from "../table/known-names.ts";
import { type ColumnField, joinedTables, ownColumn } from "../table/own-columns.ts";
import { SqlText } from "../table/sql-text.ts";
import type { Turns } from "./turns.ts";

/** Experiments of one statement. */
export const idsPerStatement = 1_000;

/** The value of an experiment that has none at a key. */
export const noValue: GroupValue = { kind: "none", text: "" };

/** Returns a text that is the same for equal values alone. */
export function identityOf(values: readonly GroupValue[]): string {
  return JSON.stringify(values.map(({ kind, text }) => [kind, text]));
}

/** Reads the values of some fields: those of each experiment in the order of the fields. */
export async function readGroupValues(
  reader: Reader,
  terms: QueryTerms,
  fields: readonly Field[],
  ids: readonly string[],
  turns: Turns,
): Promise<Map<string, GroupValue[]>> {
  const values = new Map(ids.map((id) => [id, fields.map(() => noValue)]));
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const some = JSON.stringify(ids.slice(start, start + idsPerStatement));
    for (const [at, field] of fields.entries()) {
      const path = metaPath(field);
      if (path === undefined) await readOwn(reader, terms, field, at, some, values);
      else await readLeaves(reader, terms.names.key(path), at, some, values);
    }
    await turns.next();
  }
  const folders = fields.findIndex((field) => field.kind === "own" && field.name === "folder");
  if (folders !== -1) await nameFolders(reader, terms.organizationId, folders, values);
  return values;
}

async function readOwn(
  reader: Reader,
  { nowMs, organizationId }: QueryTerms,
  field: Field,
  at: number,
  ids: string,
  values: Map<string, GroupValue[]>,
): Promise<void> {
  const text = new SqlText();
  const { sql } = ownColumn((field as Field & { kind: "own" }).name as ColumnField, nowMs, text);
  const { joined } = text;
  joined.delete("experiment");
  const tables = joinedTables(joined, "e.id").join(" ");
  const rows = await reader.composed<{ id: string; value: string | number | null }>(
    `SELECT e.id AS id, ${sql} AS value FROM experiment e ${tables}
     WHERE e.organization = ${text.bind(organizationId)}
       AND ${reader.isOneOf("e.id", text.bind(ids))}`,
    ...text.values,
  );
  for (const { id, value } of rows) {
    if (value === null) continue;
    const kind = typeof value === "number" ? "number" : "text";
    values.get(id)![at] = { kind, text: String(value) };
  }
}

const kinds = Object.fromEntries(
  Object.entries(ConfigKind).map(([name, kind]) => [kind, name]),
) as Record<number, GroupValue["kind"]>;

async function readLeaves(
  reader: Reader,
  key: number | undefined,
  at: number,
  ids: string,
  values: Map<string, GroupValue[]>,
): Promise<void> {
  if (key === undefined) return;
  const rows = await reader.all<{ experiment: string; kind: number; text: string }>(
    `SELECT experiment, kind, text FROM config_value
     WHERE key = $1 AND element = -1 AND ${reader.isOneOf("experiment", "$2")}`,
    key,
    ids,
  );
  for (const { experiment, kind, text } of rows)
    values.get(experiment)![at] = { kind: kinds[kind], text };
}

/** Folders are shown by their paths. */
async function nameFolders(
  reader: Reader,
  organizationId: string,
  at: number,
  values: Map<string, GroupValue[]>,
): Promise<void> {
  const ids = new Set<string>();
  for (const own of values.values()) if (own[at].kind !== "none") ids.add(own[at].text);
  const folders = await readFoldersAbove(reader, organizationId, [...ids]);
  const named = new Map(
    [...ids].map((id) => [id, { kind: "text", text: folders.pathOf(id) } as const]),
  );
  for (const own of values.values()) own[at] = named.get(own[at].text) ?? own[at];
}
