/**
 * Record of an import in the experiment's meta, under the key `import`: a later import recognises
 * its own work by it, and an export reproduces the file: docs/import-export.md.
 */
export interface ImportRecord {
  format: "csv";
  /** File name without its directory. */
  file: string;
  /** Data rows, wrong ones included: rows are numbered 1 to this. */
  rows: number;
  /** Unix milliseconds to which elapsed_ms or the row number is added. */
  baseTimestampMs: number;
  /**
   * Rows without elapsed_ms: none, all, or pairs of first and last row. `unknown`: some, which
   * timestamps cannot tell apart; then every timestamp is exported as elapsed_ms.
   */
  emptyElapsed: "none" | "all" | "unknown" | [number, number][];
  /** Metric names in the file's order within one step, as many as fit. */
  metrics: string[];
  /**
   * SHA-256 of the good rows, which distinguishes other files of the same name; absent in imports
   * by 0.1.0, and where the numbers of the undigested rows do not fit.
   */
  digest?: string;
  /** Rows outside the digest: wrong ones, and a last one within which the file ends. */
  undigested?: number[];
  /** The experiment predates its first import (`--append`), so its status is left alone. */
  appended?: boolean;
}

export function importRecordOf(meta: Record<string, unknown>): ImportRecord | undefined {
  const record = meta["import"];
  if (typeof record !== "object" || record === null) return undefined;
  const { format, rows, baseTimestampMs, emptyElapsed, metrics } = record as Partial<ImportRecord>;
  const isOurs =
    format === "csv" &&
    Number.isSafeInteger(rows) &&
    Number.isSafeInteger(baseTimestampMs) &&
    (["none", "all", "unknown"].includes(emptyElapsed as string) || Array.isArray(emptyElapsed)) &&
    Array.isArray(metrics);
  return isOurs ? (record as ImportRecord) : undefined;
}

/**
 * Adds the record of an import to a meta of at most `bytesMax` bytes: names of metrics and lists of
 * rows are left out where they do not fit, and finally the record.
 */
export function metaWithRecord(
  before: Record<string, unknown>,
  record: ImportRecord,
  bytesMax: number,
): Record<string, unknown> {
  const { digest: _, undigested: __, ...undigested } = record;
  const bare: ImportRecord[] = [
    { ...record, metrics: [] },
    { ...undigested, metrics: [] },
    { ...undigested, metrics: [], emptyElapsed: plain(record.emptyElapsed) },
  ];
  const others = { ...before, import: 0 };
  const fitting = bare.find((each) => bytesOf(others) + bytesOf(each) <= bytesMax);
  if (fitting === undefined) return before;
  let room = bytesMax - bytesOf(others) - bytesOf(fitting);
  const fits = record.metrics.findIndex((name) => (room -= bytesOf(name) + 1) < 0);
  const metrics = fits < 0 ? record.metrics : record.metrics.slice(0, fits);
  return { ...before, import: { ...fitting, metrics } };
}

/** Exports then write every timestamp. */
function plain(emptyElapsed: ImportRecord["emptyElapsed"]): ImportRecord["emptyElapsed"] {
  return Array.isArray(emptyElapsed) ? "unknown" : emptyElapsed;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Base timestamp by default. It is fixed: a file always gives the same points. */
export const defaultBaseTimestampMs = Date.UTC(2024, 0, 1);
