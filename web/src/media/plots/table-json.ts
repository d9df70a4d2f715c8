import { isObject } from "./drawing.ts";

/** A table as our client writes it, and MLflow's `log_table` with `orient="split"`. */
export interface LoggedTable {
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
  /** Rows that the client left out. */
  rowsLeftOut: number;
}

/** Undefined for other JSON. */
export function tableOf(json: unknown): LoggedTable | undefined {
  if (!isObject(json) || !Array.isArray(json["columns"]) || !Array.isArray(json["data"])) return;
  const rows = json["data"] as unknown[];
  if (!rows.every((row) => Array.isArray(row))) return undefined;
  const { rowsLeftOut } = json as { rowsLeftOut?: unknown };
  return {
    columns: json["columns"].map(String),
    rows,
    rowsLeftOut: typeof rowsLeftOut === "number" ? rowsLeftOut : 0,
  };
}
