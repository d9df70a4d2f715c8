import type { Reader } from "../../../../database/database.ts";

/** A comparison by `eq`, and a page. */
export interface ScimQuestion<By extends string> {
  organizationId: string;
  filter: { by: By; value: string } | null;
  /** Offset of the page, from 0. */
  offset: number;
  limit: number;
}

export interface ScimPage<Resource> {
  total: number;
  resources: Resource[];
}

/** Columns of the attributes, and the spelling of values in each. */
export type Columns<By extends string> = Record<
  By,
  { column: string; key?: (value: string) => string }
>;

/** A table, and its columns that a row has here. */
export interface ScimTable<Row> {
  table: "scim_user" | "scim_group";
  wanted: readonly (keyof Row & string)[];
}

/** A page of the rows of a table, in the order in which they came, and how many there are. */
export async function readScimPage<Row, By extends string>(
  reader: Reader,
  { table, wanted }: ScimTable<Row>,
  columns: Columns<By>,
  { organizationId, filter, offset, limit }: ScimQuestion<By>,
): Promise<{ total: number; rows: Row[] }> {
  const { column, key }: Columns<By>[By] = filter === null ? { column: "id" } : columns[filter.by];
  const value = filter === null ? null : (key?.(filter.value) ?? filter.value);
  const where = `${table}.organization = $1 AND (${column} = $2 OR CAST($2 AS TEXT) IS NULL)`;
  const counted = await reader.get<{ total: number }>(
    `SELECT count(*) AS total FROM ${table} WHERE ${where}`,
    organizationId,
    value,
  );
  const rows = await reader.all<Row>(
    `SELECT ${wanted.join(", ")} FROM ${table} WHERE ${where} ORDER BY id LIMIT $3 OFFSET $4`,
    organizationId,
    value,
    limit,
    offset,
  );
  return { total: counted?.total ?? 0, rows };
}
