import { setImmediate } from "node:timers/promises";
import type { TableRow } from "@lossless/protocol";
import { parseColumns, parseSort } from "@lossless/protocol/query-list";
import type { Reader } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { openTable, readWords, type Table } from "./table.ts";
import { readRows } from "./table-rows.ts";
import { readPlaces } from "./table-search.ts";

export interface ReadTableCsv {
  organizationId: string;
  query: Partial<Record<"query" | "folderId" | "sort" | "columns", string | undefined>>;
}

const rowsPerPage = 500;
/** More than any table has. */
const rowsMax = 2 ** 31;

/** What every row has before the columns asked for. */
const heads = [
  "experimentId",
  "slug",
  "name",
  "status",
  "folderId",
  "createdAtMs",
  "startedAtMs",
  "doneAtMs",
  "errorAtMs",
  "points",
  "error",
  "description",
] as const satisfies (keyof TableRow)[];

/** `views/experiments.csv`: a line with the count of rows, which is not sent, then the CSV. */
export async function readTableCsv(
  reader: Reader,
  { organizationId, query: { query, folderId, sort, columns = "" } }: ReadTableCsv,
  text: ReplyText,
  { nowMs, signal }: Moment & { signal?: AbortSignal },
): Promise<void> {
  const names = readWords("columns", () => parseColumns(columns));
  const sorted = sort === undefined ? undefined : readWords("sort", () => parseSort(sort));
  const body = { query, folderId, sort: sorted, columns: names };
  const table = await openTable(reader, organizationId, body, nowMs);
  const ids = await readIds(reader, table);
  await text.add(`${ids.length}\n`);
  await text.add(lineOf([...heads, ...names]));
  for (let at = 0; at < ids.length; at += rowsPerPage) {
    await setImmediate();
    signal?.throwIfAborted();
    const page = ids.slice(at, at + rowsPerPage);
    for (const row of await readRows(reader, table.search, table.columns, page))
      await text.add(lineOf([...heads.map((head) => row[head]), ...row.values]));
  }
}

/** All of them at once: each search for a page would go through all experiments again. */
async function readIds(reader: Reader, { search, parts }: Table): Promise<string[]> {
  const found: string[][] = [];
  for (const part of parts) {
    const { ids } = await readPlaces(reader, search, part, {}, rowsMax);
    found.push(ids);
  }
  return found.flat();
}

/** RFC 4180. */
function lineOf(values: readonly (string | number | boolean | null)[]): string {
  const cells = values.map((value) => {
    const cell = value === null ? "" : String(value);
    return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return `${cells.join(",")}\r\n`;
}
