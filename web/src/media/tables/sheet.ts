import type { LoggedFile } from "@lossless/client";
import { mediaOf } from "../items/table-rows.ts";
import { countText } from "../../parts/words.ts";
import type { LoggedTable } from "../plots/table-json.ts";

/** A table that an experiment logged. */
export interface RunTable {
  experimentId: string;
  /** The name of the experiment. */
  name: string;
  step: number;
  /** The file whose version has the pictures of its cells. */
  file: LoggedFile;
  table: LoggedTable;
  /** The names of its columns, each once. */
  columns: readonly string[];
}

export type Row = readonly unknown[];

export interface SheetColumn {
  /** Identifies it while runs come and go. */
  key: string;
  name: string;
  /** The table that it is of; undefined: of all. */
  of?: number;
  /** The column with whose cells its own are compared. */
  base?: number;
  /** Whether it has means, which are shown with the usual digits. */
  isMean?: true;
}

/** One table made of those of several experiments. */
export interface Sheet {
  columns: readonly SheetColumn[];
  rows: readonly Row[];
  /** The table of a row, or the first one that has it. */
  of: ReadonlyMap<Row, number>;
  /** The rows that a table lacks; undefined: tables are not compared. */
  partial?: ReadonlySet<Row>;
  /** The row of a table from which a row was made; undefined: rows are made of several. */
  partOf?: (row: Row, table: number) => Row | undefined;
  /** A word beside a cell. */
  remark?: (row: Row, column: number) => string | undefined;
  /** Sentences about what is left out or done in another way than one may think. */
  notes: readonly string[];
}

/** The names of a table's columns, each once: a second `score` is `score (2)`. */
export function columnNames(columns: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return columns.map((name) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

/** The names of the columns of all tables, in the order in which they come. */
export function allColumns(tables: readonly RunTable[]): string[] {
  return [...new Set(tables.flatMap(({ columns }) => columns))];
}

/** Cells of tables that are put together, and of what they make: more of them stop the page. */
export const cellsMax = 1_000_000;

/** Rows that a sheet of some columns has at most. */
export function rowsMax(columns: number): number {
  return Math.max(1, Math.floor(cellsMax / columns));
}

/** A sentence about rows that are left out. */
export function firstRows(rows: number, all: number): string[] {
  return rows === all
    ? []
    : [
        `The first ${countText(rows)} of ${countText(all)} rows are here: at most ${countText(cellsMax)} cells are made.`,
      ];
}

/**
 * Whether two cells say the same. Pictures and other files are compared by their captions, and by
 * their checksums where both are known, as the names of their files are of their own run; undefined
 * is the cell of a row that is not there.
 */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  const [left, right] = [mediaOf(one), mediaOf(other)];
  if (left !== undefined && right !== undefined) {
    const areKnown = left.sha256 !== undefined && right.sha256 !== undefined;
    return left.caption === right.caption && (!areKnown || left.sha256 === right.sha256);
  }
  return JSON.stringify(one) === JSON.stringify(other);
}
