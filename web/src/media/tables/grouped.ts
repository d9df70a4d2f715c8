import { cellText } from "../items/table-rows.ts";
import { countText } from "../../parts/words.ts";
import { isObject, numberOf } from "../plots/drawing.ts";
import {
  allColumns,
  firstRows,
  type Row,
  rowsMax,
  type RunTable,
  type Sheet,
  type SheetColumn,
} from "./sheet.ts";

/**
 * The rows of tables in groups: a row for each value of a column, or one for all (undefined), with
 * the count of each table's rows and the mean of its numbers. True counts as 1, false as 0.
 */
export function groupedSheet(tables: readonly RunTable[], by: string | undefined): Sheet {
  const names = allColumns(tables).filter((name) => name !== by);
  const measured = names.filter((name) => tables.some((one) => hasNumbers(one, name)));
  const all = [...groupsOf(tables, by).values()];
  const columns: SheetColumn[] = [{ key: by ?? "", name: by ?? "group" }];
  /** For each column its place in its table; -1: it counts rows. */
  const places: number[] = [-1];
  for (const name of [undefined, ...measured])
    for (const [at, { experimentId, columns: own }] of tables.entries()) {
      const place = name === undefined ? -1 : own.indexOf(name);
      if (name === undefined) columns.push({ key: `${experimentId} `, name: "rows", of: at });
      else if (place < 0) continue;
      else columns.push({ key: `${experimentId} ${name}`, name, of: at, isMean: true });
      places.push(place);
    }
  const of = new Map<Row, number>();
  const remarks = new Map<Row, Map<number, string>>();
  const groups = all.slice(0, rowsMax(columns.length));
  const rows = groups.map((group) => {
    const words = new Map<number, string>();
    const row = columns.map(({ of: table, isMean }, at) => {
      if (table === undefined) return group.value;
      const members = group.rows[table];
      if (members === undefined) return undefined;
      if (isMean === undefined) return members.length;
      const numbers = members.flatMap((member) => finiteOf(member[places[at]]));
      if (numbers.length < members.length && numbers.length > 0)
        words.set(at, `${countText(numbers.length)} of ${countText(members.length)}`);
      return numbers.length === 0 ? undefined : meanOf(numbers);
    });
    of.set(row, group.first);
    if (words.size > 0) remarks.set(row, words);
    return row;
  });
  const remark = (row: Row, column: number) => remarks.get(row)?.get(column);
  const notes = [...firstRows(rows.length, all.length), ...notesOf(tables, by, names, measured)];
  return { columns, rows, of, remark, notes };
}

/** The columns by which rows can be grouped. */
export function groupColumns(tables: readonly RunTable[]): string[] {
  return allColumns(tables);
}

interface Group {
  value: unknown;
  /** The first table that has it. */
  first: number;
  /** By table. */
  rows: (Row[] | undefined)[];
}

function groupsOf(tables: readonly RunTable[], by: string | undefined): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const [at, { columns, table }] of tables.entries()) {
    const column = by === undefined ? -1 : columns.indexOf(by);
    if (by !== undefined && column < 0) continue;
    for (const row of table.rows) {
      const value = by === undefined ? "all rows" : row[column];
      const text = cellText(value);
      const group = groups.get(text) ?? { value, first: at, rows: [] };
      groups.set(text, group);
      (group.rows[at] ??= []).push(row);
    }
  }
  return groups;
}

function hasNumbers({ columns, table }: RunTable, name: string): boolean {
  const column = columns.indexOf(name);
  return column >= 0 && table.rows.some((row) => finiteOf(row[column]).length > 0);
}

/** The number of a cell, if it is one; a list, so that others leave no trace. */
function finiteOf(cell: unknown): number[] {
  if (typeof cell === "boolean") return [Number(cell)];
  if (typeof cell !== "number" && !(isObject(cell) && "_number" in cell)) return [];
  const number = numberOf(cell);
  return Number.isFinite(number) ? [number] : [];
}

/** The mean, in which large numbers do not overflow. */
function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((mean, number, at) => mean + (number - mean) / (at + 1), 0);
}

function notesOf(
  tables: readonly RunTable[],
  by: string | undefined,
  names: readonly string[],
  measured: readonly string[],
): string[] {
  const notes = tables
    .filter(({ columns }) => by !== undefined && !columns.includes(by))
    .map(({ name }) => `${name} has no column ${by!}: its rows are not here.`);
  if (measured.length > 0)
    notes.push("Numbers are means; “2 of 3” counts the rows that have one. True is 1, false 0.");
  const others = names.filter((name) => !measured.includes(name));
  if (others.length > 0) notes.push(`Without numbers, and so not here: ${others.join(", ")}.`);
  return notes;
}
