import type { Reader } from "../../database/database.ts";
import { readIds } from "../table/found-ids.ts";
import { openTable } from "../table/table.ts";

/** The experiments of a file: the named ones, or those that a query finds. */
export interface ExportChoice {
  organizationId: string;
  experimentIds?: readonly string[];
  query?: string | undefined;
  folderId?: string | undefined;
}

/** In the order in which they are named, or the newest first. Throws `bad_request` for a query. */
export async function findExported(
  reader: Reader,
  { organizationId, experimentIds, query, folderId }: ExportChoice,
  nowMs: number,
): Promise<string[]> {
  if (experimentIds === undefined)
    return readIds(reader, await openTable(reader, organizationId, { query, folderId }, nowMs));
  const rows = await reader.all<{ id: string }>(
    `SELECT id FROM experiment WHERE organization = $1 AND trashed_at_ms IS NULL
       AND ${reader.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(experimentIds),
  );
  const known = new Set(rows.map(({ id }) => id));
  return [...new Set(experimentIds)].filter((id) => known.has(id));
}
