import { setImmediate } from "node:timers/promises";
import type { TableRow } from "@lossless/protocol";
import { csvCell } from "@lossless/protocol/csv-cell";
import { parseColumns, parseSort } from "@lossless/protocol/query-list";
import type { Reader } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { openGroupsCsv } from "../groups/groups-csv.ts";
import { readIds } from "./found-ids.ts";
import { readWords } from "./read-words.ts";
import { openTable } from "./table.ts";
import type { Table } from "./table-search.ts";
import { readRows } from "./table-rows.ts";

export interface TableCsvRead {
  organizationId: string;
  query: Partial<Record<"query" | "folderId" | "sort" | "columns" | "by", string | undefined>>;
}

const rowsPerPage = 500;

/** Columns of every row before the requested ones. */
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
  "beganAtMs",
  "endedAtMs",
  "points",
  "error",
  "description",
] as const satisfies (keyof TableRow)[];

/** Maximum wait for the client that takes the file, and its increase for each row. */
const timeMs = 30_000;
const rowMs = 1;

/**
 * `views/experiments.csv`: a chunk with the count of rows, which is not sent, then the CSV, read as
 * it is taken.
 */
export async function openTableCsv(
  reader: Reader,
  { organizationId, query: { query, folderId, sort, columns = "", by } }: TableCsvRead,
  { nowMs }: Moment,
): Promise<{ chunks: AsyncGenerator<Uint8Array>; timeMs: number }> {
  const names = readWords("columns", () => parseColumns(columns));
  if (by !== undefined) {
    const asked = { query, folderId, by: readWords("by", () => parseColumns(by)), columns: names };
    const { chunks, rows } = await openGroupsCsv(reader, organizationId, asked, nowMs);
    return { chunks, timeMs: timeMs + rows * rowMs };
  }
  const sorted = sort === undefined ? undefined : readWords("sort", () => parseSort(sort));
  const body = { query, folderId, sort: sorted, columns: names };
  const table = await openTable(reader, organizationId, body, nowMs);
  const ids = await readIds(reader, table);
  return {
    chunks: chunksOf(reader, table, names, ids),
    timeMs: timeMs + ids.length * rowMs,
  };
}

async function* chunksOf(
  reader: Reader,
  { search, columns }: Table,
  names: readonly string[],
  ids: readonly string[],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // A repeated head would be renamed by readers of the file.
  const isNew = (_: unknown, at: number) => !heads.some((head) => head === names[at]);
  yield encoder.encode(String(ids.length));
  yield encoder.encode(lineOf([...heads, ...names.filter(isNew)]));
  for (let at = 0; at < ids.length; at += rowsPerPage) {
    const page = ids.slice(at, at + rowsPerPage);
    const rows = await readRows(reader, search, columns, page);
    const lines = rows.map((row) =>
      lineOf([...heads.map((head) => row[head]), ...row.values.filter(isNew)]),
    );
    yield encoder.encode(lines.join(""));
    await setImmediate();
  }
}

function lineOf(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}
