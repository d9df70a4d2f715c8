import { cellText, mediaOf } from "../items/table-rows.ts";
import { countedText } from "../../parts/words.ts";
import { isObject } from "../plots/drawing.ts";
import {
  allColumns,
  firstRows,
  isSame,
  type Row,
  rowsMax,
  type RunTable,
  type Sheet,
  type SheetColumn,
} from "./sheet.ts";

/**
 * Joins tables by a column: a row for each of its values, with the cells of each table side by
 * side. A column that is equal in all of them stands once. Rows with the same value in one table
 * are joined in their order: the first with the first of the others.
 */
export function joinedSheet(tables: readonly RunTable[], key: string): Sheet {
  const { matched: all, repeated } = matchedRows(tables, key);
  const matched = all.slice(0, rowsMax(tables.reduce((sum, one) => sum + one.columns.length, 0)));
  const isWhole = matched.every(({ rows }) => tables.every((_, at) => rows[at] !== undefined));
  const columns: SheetColumn[] = [{ key, name: key }];
  if (!isWhole) columns.push({ key: countKey, name: "runs" });
  /** For each column its cell of a row. */
  const cells: ((row: Matched) => unknown)[] = [({ key: value }) => value];
  if (!isWhole) cells.push(({ rows }) => rows.filter((row) => row !== undefined).length);
  for (const name of allColumns(tables)) {
    if (name === key) continue;
    const having = placesOf(tables, name);
    const cellOf = ({ rows }: Matched, { table, column }: Place): unknown =>
      rows[table] === undefined ? undefined : (rows[table][column] ?? null);
    if (having.length > 1 && areEqual(tables, matched, having, cellOf)) {
      columns.push({ key: name, name });
      cells.push((row) =>
        having.map((place) => cellOf(row, place)).find((one) => one !== undefined),
      );
      continue;
    }
    const base = columns.length;
    for (const place of having) {
      const { experimentId } = tables[place.table];
      columns.push({ key: `${experimentId} ${name}`, name, of: place.table, base });
      cells.push((row) => cellOf(row, place));
    }
  }
  const of = new Map<Row, number>();
  const partial = new Set<Row>();
  const parts = new Map<Row, Matched["rows"]>();
  const rows = matched.map((one) => {
    const row: Row = cells.map((cell) => cell(one));
    of.set(
      row,
      tables.findIndex((_, at) => one.rows[at] !== undefined),
    );
    parts.set(row, one.rows);
    if (tables.some((_, at) => one.rows[at] === undefined)) partial.add(row);
    return row;
  });
  const partOf = (row: Row, table: number) => parts.get(row)?.[table];
  const notes = [...firstRows(rows.length, all.length), ...notesOf(tables, key, repeated, matched)];
  return { columns, rows, of, partial, partOf, notes };
}

/**
 * The rows that differ between runs in a column, or that a run lacks. For "" any column counts; for
 * undefined those without decimals, which hardly ever agree, unless there are no others.
 */
export function differentRows({ columns, rows, partial }: Sheet, name?: string): Set<Row> {
  const compared = comparedColumns({ columns, rows });
  const plain = compared.filter(({ hasDecimals }) => !hasDecimals);
  const usual = plain.length > 0 ? plain : compared;
  const names = new Set((name === undefined ? usual : compared).map((one) => one.name));
  const counts = (one: SheetColumn) => names.has(one.name) && (!name || one.name === name);
  const places = columns.flatMap((one, at) => (counts(one) ? [at] : []));
  return new Set(
    rows.filter((row) => partial?.has(row) || places.some((at) => differsAt(columns, row, at))),
  );
}

/** The columns in which runs differ. */
export function comparedColumns({ columns, rows }: Pick<Sheet, "columns" | "rows">) {
  const found = new Map<string, boolean>();
  for (const [at, { name, base }] of columns.entries())
    if (base !== undefined)
      found.set(name, found.get(name) === true || rows.some((row) => isDecimal(row[at])));
  return [...found].map(([name, hasDecimals]) => ({ name, hasDecimals }));
}

/** Whether a cell differs from that of the first table that has the column. */
export function differsAt(columns: readonly SheetColumn[], row: Row, at: number): boolean {
  const { base } = columns[at];
  return base !== undefined && base !== at && !isSame(row[at], row[base]);
}

/** The columns by which tables can be joined: those of at least two of them. */
export function keyColumns(tables: readonly RunTable[]): string[] {
  return allColumns(tables).filter((name) => placesOf(tables, name).length > 1);
}

/** The column that tables are joined by at first: one that tells the rows of each table apart. */
export function usualKey(tables: readonly RunTable[]): string | undefined {
  const names = keyColumns(tables);
  const inAll = names.filter((name) => placesOf(tables, name).length === tables.length);
  return inAll.find((name) => tellsApart(tables, name)) ?? inAll[0] ?? names[0];
}

/**
 * Whether tables are joined unless somebody says otherwise: they have the same columns, and a key
 * of which most values are in several of them.
 */
export function areJoinedAtFirst(tables: readonly RunTable[]): boolean {
  const key = usualKey(tables);
  const names = allColumns(tables);
  if (key === undefined || !tables.every(({ columns }) => columns.length === names.length))
    return false;
  if (!tellsApart(tables, key)) return false;
  const times = new Map<string, number>();
  for (const { table, column } of placesOf(tables, key))
    for (const row of tables[table].table.rows) {
      const text = cellText(row[column]);
      times.set(text, (times.get(text) ?? 0) + 1);
    }
  const shared = times.values().reduce((sum, count) => sum + Number(count > 1), 0);
  return shared > 0 && 2 * shared >= times.size;
}

/** Whether a column has no value twice in a table. Decimals tell rows apart by accident. */
function tellsApart(tables: readonly RunTable[], name: string): boolean {
  return placesOf(tables, name).every(({ table, column }) => {
    const seen = new Set<string>();
    return tables[table].table.rows.every(
      (row) => !isDecimal(row[column]) && seen.size < seen.add(cellText(row[column])).size,
    );
  });
}

/** Whether a cell is a number that is not whole. */
function isDecimal(cell: unknown): boolean {
  return typeof cell === "number" ? !Number.isInteger(cell) : isObject(cell) && "_number" in cell;
}

const countKey = " runs";

interface Place {
  table: number;
  column: number;
}

interface Matched {
  key: unknown;
  /** By table; undefined where it has no such row. */
  rows: (Row | undefined)[];
}

function placesOf(tables: readonly RunTable[], name: string): Place[] {
  return tables
    .map(({ columns }, table) => ({ table, column: columns.indexOf(name) }))
    .filter(({ column }) => column >= 0);
}

/** The rows of one value of the key. */
interface Keyed {
  /** The first of each table, the second of each, and so on. */
  matched: Matched[];
  /** The table whose rows are being placed, and how many are. */
  table: number;
  times: number;
}

function matchedRows(tables: readonly RunTable[], key: string) {
  const found = new Map<string, Keyed>();
  const matched: Matched[] = [];
  const repeated = new Set<Keyed>();
  for (const { table, column } of placesOf(tables, key))
    for (const row of tables[table].table.rows) {
      const text = cellText(row[column]);
      let keyed = found.get(text);
      if (keyed === undefined) found.set(text, (keyed = { matched: [], table, times: 0 }));
      if (keyed.table !== table) [keyed.table, keyed.times] = [table, 0];
      let one = keyed.matched[keyed.times++] as Matched | undefined;
      if (one === undefined) {
        one = { key: row[column], rows: new Array<undefined>(tables.length).fill(undefined) };
        keyed.matched.push(one);
        matched.push(one);
      }
      one.rows[table] = row;
      if (keyed.times === 2) repeated.add(keyed);
    }
  return { matched, repeated: repeated.size };
}

function areEqual(
  tables: readonly RunTable[],
  matched: readonly Matched[],
  having: readonly Place[],
  cellOf: (row: Matched, place: Place) => unknown,
): boolean {
  return matched.every((row) => {
    let first: unknown;
    for (const place of having) {
      const cell = cellOf(row, place);
      if (cell === undefined) continue;
      // The same caption may stand below two pictures, which are then both shown. A picture that
      // stands once is of the first run that has the row, which has to have the column.
      const media = mediaOf(cell);
      if (media !== undefined && (media.sha256 === undefined || having.length < tables.length))
        return false;
      if (first === undefined) first = cell;
      else if (!isSame(cell, first)) return false;
    }
    return true;
  });
}

function notesOf(
  tables: readonly RunTable[],
  key: string,
  repeated: number,
  matched: readonly Matched[],
): string[] {
  const notes: string[] = [];
  for (const { name, columns, table } of tables)
    if (!columns.includes(key))
      notes.push(
        `${name} has no column ${key}: its ${countedText(table.rows.length, "row")} are not here.`,
      );
  if (repeated > 0)
    notes.push(
      `${countedText(repeated, "value")} of ${key} ${repeated === 1 ? "stands" : "stand"} in several rows of one run: the first is joined with the first, the second with the second.`,
    );
  const isUnknown = (cell: unknown): boolean => {
    const media = mediaOf(cell);
    return media !== undefined && media.sha256 === undefined;
  };
  if (matched.some(({ rows }) => rows.some((row) => row?.some(isUnknown))))
    notes.push("Pictures whose checksums are not known are compared by their captions.");
  return notes;
}
