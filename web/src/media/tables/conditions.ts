import { cellText } from "../items/table-rows.ts";
import { isObject, numberOf } from "../plots/drawing.ts";
import type { Row, RunTable } from "./sheet.ts";

export const signs = ["=", "≠", "<", ">", "contains"] as const;
export type Sign = (typeof signs)[number];

/** A condition on a column of a run, which the rows that are shown fulfil. */
export interface Condition {
  column: string;
  /** The id of an experiment, or one or all of those that have the row. */
  run: "any" | "all" | (string & {});
  sign: Sign;
  /** As it was typed; "" is the value of an empty cell. */
  value: string;
}

/** The row of each table from which a row was made; undefined: that table lacks it. */
export type PartOf = (table: number) => Row | undefined;

/**
 * Whether a row fulfils conditions. A run fulfils none on a row or a column that it lacks, not even
 * one with ≠.
 */
export function fulfilling(
  conditions: readonly Condition[],
  tables: readonly RunTable[],
): (part: PartOf) => boolean {
  const checks = conditions.map((condition) => checkOf(condition, tables));
  return (part) => checks.every((isFulfilled) => isFulfilled(part));
}

/** Tables with those of their rows that fulfil conditions, each row for itself. */
export function tablesWhere(
  tables: readonly RunTable[],
  conditions: readonly Condition[],
): RunTable[] {
  const isFound = fulfilling(conditions, tables);
  return tables.map((one, at) => {
    const rows = one.table.rows.filter((row) =>
      isFound((table) => (table === at ? row : undefined)),
    );
    return { ...one, table: { ...one.table, rows } };
  });
}

function checkOf({ column, run, sign, value }: Condition, tables: readonly RunTable[]) {
  const isNamed = run !== "any" && run !== "all";
  const wanted = tables.flatMap(({ columns, experimentId }, table) => {
    const place = columns.indexOf(column);
    return place < 0 || (isNamed && experimentId !== run) ? [] : [{ table, place }];
  });
  const holds = comparison(sign, value.trim());
  return (part: PartOf): boolean => {
    let fulfilled = 0;
    let having = 0;
    for (const { table, place } of wanted) {
      const row = part(table);
      if (row === undefined) continue;
      having++;
      if (holds(row[place])) fulfilled++;
    }
    return run === "all" ? having > 0 && fulfilled === having : fulfilled > 0;
  };
}

function comparison(sign: Sign, value: string): (cell: unknown) => boolean {
  const lower = value.toLowerCase();
  const number = numberIn(value);
  if (sign === "contains") return (cell) => cellText(cell).toLowerCase().includes(lower);
  const isEqual = (cell: unknown): boolean => {
    if (typeof cell === "number") return cell === number;
    // Python writes True, and NaN has several spellings.
    if (typeof cell === "boolean" || isObject(cell)) return cellText(cell).toLowerCase() === lower;
    return cellText(cell).trim() === value;
  };
  if (sign === "=") return isEqual;
  if (sign === "≠") return (cell) => !isEqual(cell);
  const order = (cell: unknown): number => {
    if (number !== undefined) return (numberIn(cell) ?? NaN) - number;
    return typeof cell === "string" && value !== "" ? collator.compare(cell, value) : NaN;
  };
  return sign === "<" ? (cell) => order(cell) < 0 : (cell) => order(cell) > 0;
}

/** The number of a cell or of a typed text; undefined: it is none. */
function numberIn(cell: unknown): number | undefined {
  const number =
    typeof cell === "string" ? (cell.trim() === "" ? NaN : Number(cell)) : numberOf(cell);
  return Number.isNaN(number) ? undefined : number;
}

const collator = new Intl.Collator("en", { numeric: true });
