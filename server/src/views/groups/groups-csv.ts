import type { GroupColumn, GroupValue } from "@lossless/protocol";
import { csvCell } from "@lossless/protocol/csv-cell";
import type { Reader } from "../../database/database.ts";
import { groupTable } from "./experiment-groups.ts";
import { inOrder } from "./group-order.ts";

const rowsPerChunk = 500;
const stats = ["count", "mean", "min", "max"] as const satisfies (keyof GroupColumn)[];

/**
 * The groups of a table as CSV: a chunk with the count of rows, which is not sent, then the file.
 */
export async function openGroupsCsv(
  reader: Reader,
  organizationId: string,
  asked: {
    query?: string | undefined;
    folderId?: string | undefined;
    by: string[];
    columns: string[];
  },
  nowMs: number,
): Promise<{ chunks: AsyncGenerator<Uint8Array>; rows: number }> {
  const { query, folderId, by, columns } = asked;
  const body = {
    ...(query !== undefined && { query }),
    ...(folderId !== undefined && { folderId }),
  };
  const { groups } = await groupTable(
    reader,
    organizationId,
    { ...body, by, columns },
    nowMs,
    undefined,
  );
  const sorted = inOrder(groups, [{ of: "experiments", descending: true }]);
  const rows = sorted.map((group) => [
    ...group.values.map(cellOf),
    group.experiments,
    ...group.columns.flatMap((column) => stats.map((stat) => column[stat])),
  ]);
  const heads = [
    ...by,
    "experiments",
    ...columns.flatMap((name) => stats.map((stat) => `${name} ${stat}`)),
  ];
  return { chunks: chunksOf([heads, ...rows]), rows: rows.length };
}

async function* chunksOf(lines: readonly (string | number | boolean | null)[][]) {
  const encoder = new TextEncoder();
  yield encoder.encode(String(lines.length - 1));
  for (let at = 0; at < lines.length; at += rowsPerChunk) {
    const some = lines
      .slice(at, at + rowsPerChunk)
      .map((line) => `${line.map(csvCell).join(",")}\r\n`);
    yield encoder.encode(some.join(""));
  }
}

/** A value as a row of the table has it. */
function cellOf({ kind, text }: GroupValue): string | number | boolean | null {
  if (kind === "none" || kind === "null") return null;
  if (kind === "number") return Number(text);
  return kind === "boolean" ? text === "true" : text;
}
