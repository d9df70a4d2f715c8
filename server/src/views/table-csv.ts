import { setImmediate } from "node:timers/promises";
import type { TableRow } from "@lossless/protocol";
import { parseColumns, parseSort } from "@lossless/protocol/query-list";
import type { Reader } from "../database/database.ts";
import type { Moment } from "../ground/clock.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { openTable, type PageStart, readPage, readWords } from "./table.ts";
import { readRows } from "./table-rows.ts";
import { countFound } from "./table-search.ts";

export interface ReadTableCsv {
  organizationId: string;
  query: Partial<Record<"query" | "folderId" | "sort" | "columns", string | undefined>>;
}

const rowsPerPage = 500;

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
  { nowMs }: Moment,
): Promise<void> {
  const names = readWords("columns", () => parseColumns(columns));
  const sorted = sort === undefined ? undefined : readWords("sort", () => parseSort(sort));
  const body = { query, folderId, sort: sorted, columns: names };
  const table = await openTable(reader, organizationId, body, nowMs);
  await text.add(`${await countFound(reader, table.search, {})}\n`);
  await text.add(lineOf([...heads, ...names]));
  for (let start: PageStart | undefined = { part: 0 }; start !== undefined;) {
    const { ids, next } = await readPage(reader, table, start, rowsPerPage);
    for (const row of await readRows(reader, table.search, table.columns, ids))
      await text.add(lineOf([...heads.map((head) => row[head]), ...row.values]));
    start = next;
    await setImmediate();
  }
}

/** RFC 4180. */
function lineOf(values: readonly (string | number | boolean | null)[]): string {
  const cells = values.map((value) => {
    const cell = value === null ? "" : String(value);
    return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return `${cells.join(",")}\r\n`;
}
