import type { Reader, Transaction } from "../database/database.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import type { Tag } from "../experiments/mlflow/change-folder.ts";

/** The owner of tags: a model, or one of its versions. */
export interface TagOwner {
  organizationId: string;
  /** The model's id. Its row is locked while tags are changed. */
  id: string;
  /** Null: the model itself. */
  number: number | null;
}

/** Sets tags; of two with one key the later counts. Under the model's lock. */
export async function writeTags(
  transaction: Transaction,
  owner: TagOwner,
  tags: readonly Tag[],
  { ledger }: Counting,
): Promise<void> {
  const { table, columns, where, values } = placeOf(owner);
  for (const { key, value } of new Map(tags.map((tag) => [tag.key, tag])).values()) {
    const before = await transaction.get<{ value: string }>(
      `SELECT value FROM ${table} WHERE ${where} AND key = $${values.length + 1}`,
      ...values,
      key,
    );
    const had = before === undefined ? 0 : rowBytes + textBytes(key, before.value);
    await ledger.charge(owner.organizationId, { bytes: rowBytes + textBytes(key, value) - had });
    const places = [...values, key, value].map((_, at) => `$${at + 1}`).join(", ");
    await transaction.run(
      `INSERT INTO ${table} (${columns}, key, value) VALUES (${places})
       ON CONFLICT (${columns}, key) DO UPDATE SET value = excluded.value`,
      ...values,
      key,
      value,
    );
  }
}

/** Removes a tag, if it is there. Under the model's lock. */
export async function removeTag(
  transaction: Transaction,
  owner: TagOwner,
  key: string,
  { ledger }: Counting,
): Promise<void> {
  const { table, where, values } = placeOf(owner);
  const [removed] = await transaction.all<{ value: string }>(
    `DELETE FROM ${table} WHERE ${where} AND key = $${values.length + 1} RETURNING value`,
    ...values,
    key,
  );
  if (removed === undefined) return;
  ledger.note(owner.organizationId, { bytes: -rowBytes - textBytes(key, removed.value) });
}

function placeOf({ id, number }: TagOwner) {
  return number === null
    ? { table: "registered_model_tag", columns: "model", where: "model = $1", values: [id] }
    : {
        table: "model_version_tag",
        columns: "model, number",
        where: "model = $1 AND number = $2",
        values: [id, number],
      };
}

/** Tags of some models by their ids. */
export async function readModelTags(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, Tag[]>> {
  const rows = await reader.all<Tag & { model: string }>(
    `SELECT model, key, value FROM registered_model_tag WHERE ${reader.isOneOf("model", "$1")}
     ORDER BY model, key`,
    JSON.stringify(ids),
  );
  return grouped(rows, ({ model }) => model);
}

/** Tags of versions, by model and number: `versionKey`. */
export async function readVersionTags(
  reader: Reader,
  versions: readonly { model: string; number: number }[],
): Promise<Map<string, Tag[]>> {
  const wanted = new Set(versions.map(versionKey));
  const rows = await reader.all<Tag & { model: string; number: number }>(
    `SELECT model, number, key, value FROM model_version_tag
     WHERE ${reader.isOneOf("model", "$1")} AND ${reader.isOneOfIntegers("number", "$2")}
     ORDER BY model, number, key`,
    JSON.stringify([...new Set(versions.map(({ model }) => model))]),
    JSON.stringify([...new Set(versions.map(({ number }) => number))]),
  );
  return grouped(
    rows.filter((row) => wanted.has(versionKey(row))),
    versionKey,
  );
}

export function versionKey({ model, number }: { model: string; number: number }): string {
  return `${model} ${number}`;
}

function grouped<Row extends Tag>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Map<string, Tag[]> {
  const found = new Map<string, Tag[]>();
  for (const row of rows) {
    const tags = found.get(keyOf(row)) ?? [];
    found.set(keyOf(row), tags);
    tags.push({ key: row.key, value: row.value });
  }
  return found;
}
