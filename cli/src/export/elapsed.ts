import { importRecordOf } from "../import/import-record.ts";

/**
 * Returns elapsed_ms for a timestamp: for an imported experiment the file's value; for any other
 * the Unix milliseconds themselves, so that `import --base-timestamp 0` gives the same points.
 */
export function elapsedOf(
  meta: Record<string, unknown>,
): (timestampMs: number) => number | undefined {
  const record = importRecordOf(meta);
  if (record === undefined) return (timestampMs) => timestampMs;
  const { baseTimestampMs, emptyElapsed, rows } = record;
  const isEmpty = emptyRule(emptyElapsed, rows);
  return (timestampMs) => {
    const elapsedMs = timestampMs - baseTimestampMs;
    return isEmpty(elapsedMs) ? undefined : elapsedMs;
  };
}

function emptyRule(
  emptyElapsed: "none" | "all" | "unknown" | [number, number][],
  rows: number,
): (row: number) => boolean {
  if (emptyElapsed === "none" || emptyElapsed === "unknown") return () => false;
  // Points recorded after the import have other timestamps, which are exported.
  const ranges: [number, number][] = emptyElapsed === "all" ? [[1, rows]] : emptyElapsed;
  return (row) => {
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const [first, last] = ranges[middle];
      if (row < first) high = middle;
      else if (row > last) low = middle + 1;
      else return true;
    }
    return false;
  };
}
