import type { LosslessClient } from "@lossless/client";
import type { TableBody, TableRow } from "@lossless/protocol";
import { idQuery } from "../compare/compare-address.ts";
import { copiedText, valueOf } from "./cell-text.ts";
import { columnsOf } from "./columns.ts";

/** Ids in one query. */
const namedMax = 100;

/**
 * Ticked rows as text for a spreadsheet: a line of heads, then a line for each experiment in the
 * order of the table, with tabs between the full values.
 */
export async function copiedRows(
  client: LosslessClient,
  ids: readonly string[],
  fields: readonly string[],
  sort: NonNullable<TableBody["sort"]>,
): Promise<{ text: string; count: number }> {
  const columns = columnsOf(fields);
  const asked = columns.map(({ field }) => field);
  const rows: TableRow[] = [];
  for (let at = 0; at < ids.length; at += namedMax) {
    const query = idQuery(ids.slice(at, at + namedMax));
    const body = { query, columns: asked, sort, limit: namedMax };
    rows.push(...(await client.views.experiments(body)).rows);
  }
  const lines = rows.map((row) => [
    row.name ?? row.slug,
    row.slug,
    ...columns.map((column, at) =>
      column.field === "status" ? row.status : copiedText(column, valueOf(column, row, at)),
    ),
  ]);
  const table = [["name", "slug", ...asked], ...lines];
  return {
    text: table.map((cells) => cells.map(withoutBreaks).join("\t")).join("\n"),
    count: rows.length,
  };
}

/** Tabs and line breaks would begin another cell. */
function withoutBreaks(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
