/** The types of a stream of series: lines as specified, and extensions (docs/columns.md). */
export const seriesTypes = {
  lines: "application/x-ndjson",
  columns: "application/vnd.lossless.columns",
  arrow: "application/vnd.apache.arrow.stream",
} as const;
