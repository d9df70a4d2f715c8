import { basename } from "node:path";
import { encodeMeta } from "@lossless/client";
import { readRows } from "../csv/read-rows.ts";
import type { Row, WrongRow } from "../csv/row.ts";
import type { WideForm } from "../csv/wide-form.ts";
import { Columns } from "./columns.ts";
import type { ImportRecord } from "./import-record.ts";
import { MetricOrder } from "./metric-order.ts";
import { RowsDigest } from "./rows-digest.ts";

const emptyRangesMax = 1_000;
const problemsMax = 1_000;

/** Rows up to which a file is read once and kept; larger files are read again for sending. */
const keptRowsMax = 100_000;

export interface ScanOptions {
  baseTimestampMs: number;
  /** Set for a file with a column for each metric. */
  wide?: { stepColumn: string | undefined } | undefined;
  /** The record of an earlier import. */
  earlier?: ImportRecord | undefined;
}

/** Results of the first pass over a file, before anything is sent. */
export interface Scan {
  path: string;
  slug: string;
  record: ImportRecord;
  /** The good rows, in file order: points or, when not finite, annotations. */
  rows: () => AsyncIterable<Row[]> | Iterable<Row[]>;
  wrongRows: number;
  /** The first 1,000 wrong rows. */
  problems: WrongRow[];
  /**
   * Whether the file begins like that of the earlier import; undefined: its record does not tell.
   */
  goesOn: boolean | undefined;
  /** Sentences about the columns of a wide file. */
  notes: string[];
}

/** Turns `runs/2024_AdamW.csv.gz` into `2024_AdamW`. */
export function slugOf(path: string): string {
  return basename(path)
    .replace(/\.gz$/, "")
    .replace(/\.[ct]sv$/, "");
}

export async function scan(path: string, slug: string, options: ScanOptions): Promise<Scan> {
  const { baseTimestampMs, earlier } = options;
  const order = new MetricOrder();
  const elapsed = new ElapsedSummary();
  const columns = new Columns();
  const digest = new RowsDigest(earlier);
  const problems: WrongRow[] = [];
  let kept: Row[] | undefined = [];
  let wrongRows = 0;
  let lastLine = 1;
  for await (const rows of checkedRows(path, options, (form) => columns.take(form))) {
    for (const row of rows) {
      lastLine = row.line;
      if ("problem" in row) {
        if (row.column !== undefined) {
          columns.hasText(row, row.column);
          continue;
        }
        wrongRows++;
        digest.leaveOut(row.line - 1);
        if (problems.length < problemsMax) problems.push(row);
        continue;
      }
      columns.hasNumber(row.column);
      digest.add(row);
      elapsed.add(row.row, row.elapsedMs);
      order.add(row.step, row.elapsedMs, row.metric);
      if (kept !== undefined && kept.push(row) > keptRowsMax) kept = undefined;
    }
  }
  const cells = columns.wrongCells();
  wrongRows += cells.count;
  problems.push(...cells.first.slice(0, problemsMax - problems.length));
  const record: ImportRecord = {
    format: "csv",
    file: basename(path),
    rows: lastLine - 1,
    baseTimestampMs,
    emptyElapsed: elapsed.emptyElapsed(),
    metrics: order.metrics(),
    ...digest.recorded(),
  };
  const rows = kept === undefined ? () => goodRows(path, options) : () => [kept];
  const goesOn = digest.goesOn(record.rows);
  return { path, slug, record, rows, wrongRows, problems, goesOn, notes: columns.notes() };
}

async function* checkedRows(
  path: string,
  { baseTimestampMs, wide }: ScanOptions,
  onForm?: (form: WideForm) => void,
): AsyncGenerator<(Row | WrongRow)[]> {
  const form = wide === undefined ? undefined : { ...wide, baseTimestampMs };
  for await (const rows of readRows(path, form, onForm)) {
    yield rows.map((row) => ("problem" in row ? row : checked(row, baseTimestampMs)));
  }
}

async function* goodRows(path: string, options: ScanOptions): AsyncGenerator<Row[]> {
  for await (const rows of checkedRows(path, options)) {
    yield rows.filter((row): row is Row => !("problem" in row));
  }
}

/** Timestamp of a row: the base plus elapsed_ms, or plus the row's number where that is empty. */
export function timestampMsOf(row: Row, baseTimestampMs: number): number {
  return baseTimestampMs + (row.elapsedMs ?? row.row);
}

/** Returns the row, or a wrong row if the service would refuse it. */
function checked(row: Row, baseTimestampMs: number): Row | WrongRow {
  const timestampMs = timestampMsOf(row, baseTimestampMs);
  if (!(timestampMs >= 0 && timestampMs <= Number.MAX_SAFE_INTEGER)) {
    return { line: row.line, problem: "elapsed_ms gives a timestamp outside 0 to 2^53 - 1" };
  }
  const meta = encodeMeta(row.meta);
  return "problem" in meta ? { line: row.line, problem: meta.problem } : row;
}

/** Learns in one pass how rows without elapsed_ms can later be told from the others. */
class ElapsedSummary {
  #rowsWith = 0;
  #rowsWithout = 0;
  readonly #ranges: [number, number][] = [];
  /** Range of elapsed_ms seen: a row number in it is ambiguous. */
  #least = Infinity;
  #greatest = -Infinity;

  add(row: number, elapsedMs: number | undefined): void {
    if (elapsedMs !== undefined) {
      this.#rowsWith++;
      this.#least = Math.min(this.#least, elapsedMs);
      this.#greatest = Math.max(this.#greatest, elapsedMs);
      return;
    }
    this.#rowsWithout++;
    const last = this.#ranges.at(-1);
    if (last !== undefined && last[1] >= row - 1) last[1] = row;
    else if (this.#ranges.length <= emptyRangesMax) this.#ranges.push([row, row]);
  }

  emptyElapsed(): ImportRecord["emptyElapsed"] {
    if (this.#rowsWithout === 0) return "none";
    if (this.#rowsWith === 0) return "all";
    const isAmbiguous = this.#ranges.some(
      ([first, last]) => first <= this.#greatest && last >= this.#least,
    );
    return isAmbiguous || this.#ranges.length > emptyRangesMax ? "unknown" : this.#ranges;
  }
}
