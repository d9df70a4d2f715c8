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
  /** Metric names in the order in which the file writes those of one step; at most 500. */
  metrics: string[];
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

/** The base timestamp when none is given. It is fixed: a file always gives the same points. */
export const defaultBaseTimestampMs = Date.UTC(2024, 0, 1);
