/**
 * What an import writes into the experiment's meta under the key `import`, so that a later import
 * knows its own work and an export can give the file back: docs/import-export.md.
 */
export interface ImportRecord {
  format: "csv";
  /** File name without its directory. */
  file: string;
  /** Data rows, wrong ones included: rows are numbered 1 to this. */
  rows: number;
  /** Unix milliseconds that elapsed_ms or the row number is added to. */
  baseTimestampMs: number;
  /**
   * Which rows have no elapsed_ms: none, all, or pairs of first and last row. `unknown`: some,
   * which their timestamps do not tell apart; then every timestamp is exported as elapsed_ms.
   */
  emptyElapsed: "none" | "all" | "unknown" | [number, number][];
  /** Metric names in the order in which the file writes those of one step, as many as fit. */
  metrics: string[];
  /**
   * SHA-256 of the good rows, by which another file of the same name is told; missing in what 0.1.0
   * has imported, and where there is no room for the numbers of the rows that it leaves out.
   */
  digest?: string;
  /** Rows that are not in the digest: wrong ones, and a last one that the file ends within. */
  undigested?: number[];
  /** The experiment predates its first import (`--append`), which leaves its status alone. */
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
 * The meta with the record of an import, in so many bytes: names of metrics and lists of rows are
 * left out where they do not fit, and at last the record.
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

/** An export then gives every timestamp. */
function plain(emptyElapsed: ImportRecord["emptyElapsed"]): ImportRecord["emptyElapsed"] {
  return Array.isArray(emptyElapsed) ? "unknown" : emptyElapsed;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The base timestamp when none is given. It is fixed: a file always gives the same points. */
export const defaultBaseTimestampMs = Date.UTC(2024, 0, 1);
