import { limits, metricNamed } from "@lossless/client";
import { csvCell, csvQuoted } from "@lossless/protocol/csv-cell";
import { splitLine, valueOf, wholeNumber } from "./cells.ts";
import { countedText } from "../output.ts";

/**
 * A row of the CSV form `step,elapsed_ms,metric,value` with an optional fifth column `meta`; or a
 * cell of a file with a column for each metric.
 */
export interface Row {
  /** Line of the file, the header being line 1. */
  line: number;
  /**
   * Line minus 1, so that the first line after the header is row 1: a permanent name of the row.
   */
  row: number;
  step: number;
  /** Milliseconds after the base timestamp; undefined where the column is empty. */
  elapsedMs: number | undefined;
  metric: string;
  /** NaN and the infinities are allowed; they become annotations, as points cannot hold them. */
  value: number;
  meta: Record<string, string> | undefined;
  /** The column of the cell, in a wide file. */
  column?: string;
  /** The file ends within the row, which may be cut off. */
  isOpen?: boolean;
}

export interface WrongRow {
  line: number;
  problem: string;
  /** The column without a number in this row, perhaps in every row. */
  column?: string;
}

export interface Columns {
  step: number;
  elapsedMs: number;
  metric: number;
  value: number;
  /** -1: the file has no such column. */
  meta: number;
  count: number;
}

/** Positions of the columns, in any order; or the problem with the header. */
export function readHeader(line: string): Columns | string {
  const names = splitLine(line.replace(/^\ufeff/, ""));
  if (typeof names === "string") return names;
  const known = ["step", "elapsed_ms", "metric", "value", "meta"];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) return `unknown column ${JSON.stringify(unknown)}`;
  const missing = known.slice(0, 4).find((name) => !names.includes(name));
  if (missing !== undefined) return `the header has no column ${missing}`;
  if (new Set(names).size !== names.length) return "a column is repeated in the header";
  const [step, elapsedMs, metric, value, meta] = known.map((name) => names.indexOf(name));
  return { step, elapsedMs, metric, value, meta, count: names.length };
}

export function readRow(text: string, line: number, columns: Columns): Row | WrongRow {
  const wrong = (problem: string): WrongRow => ({ line, problem });
  const cells = splitLine(text);
  if (typeof cells === "string") return wrong(cells);
  if (cells.length !== columns.count) {
    return wrong(`has ${countedText(cells.length, "column")}, the header has ${columns.count}`);
  }
  const step = wholeNumber(cells[columns.step]);
  if (step === undefined || step < 0 || step > 2 ** 53 - 2) {
    return wrong("step must be a whole number from 0 to 2^53 - 2");
  }
  const elapsedText = cells[columns.elapsedMs];
  const elapsedMs = elapsedText === "" ? undefined : wholeNumber(elapsedText);
  if (elapsedText !== "" && elapsedMs === undefined) {
    return wrong("elapsed_ms must be a whole number or empty");
  }
  const { name: metric, meta: original } = metricNamed(cells[columns.metric]);
  if (cells[columns.metric] === "") return wrong("metric must be a name");
  // The meta cannot hold the whole name.
  if (original.tag !== undefined && isCut(cells[columns.metric])) {
    return wrong(`metric has more than ${limits.metricMetaValueBytesMax} bytes`);
  }
  const value = valueOf(cells[columns.value]);
  if (value === undefined) return wrong("value must be a number");
  const meta = columns.meta < 0 ? undefined : metaOf(cells[columns.meta]);
  if (meta === null) return wrong("meta must be a JSON object of strings, or empty");
  const wholeMeta = "tag" in original ? { ...meta, ...original } : meta;
  return { line, row: line - 1, step, elapsedMs, metric, value, meta: wholeMeta };
}

function isCut(name: string): boolean {
  return Buffer.byteLength(name) > limits.metricMetaValueBytesMax;
}

function metaOf(text: string): Record<string, string> | undefined | null {
  if (text === "") return undefined;
  try {
    const meta: unknown = JSON.parse(text);
    if (typeof meta !== "object" || meta === null || Array.isArray(meta)) return null;
    return Object.values(meta).every((value) => typeof value === "string")
      ? (meta as Record<string, string>)
      : null;
  } catch {
    return null;
  }
}

/**
 * Writes one line of the form, without its line break. `metaJson` undefined: the file has no such
 * column.
 */
export function rowText(
  step: number | null,
  elapsedMs: number | undefined,
  metric: string,
  value: number,
  metaJson?: string,
): string {
  const name = csvCell(metric);
  const start = `${step ?? ""},${elapsedMs ?? ""},${name},${value}`;
  return metaJson === undefined
    ? start
    : `${start},${metaJson === "{}" ? "" : csvQuoted(metaJson)}`;
}
