import { csvCell } from "@lossless/protocol/csv-cell";

/** A table as CSV (RFC 4180), as the service writes it. */
export function csvText(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

/** A table as a CSV file. */
export function csvFile(rows: Parameters<typeof csvText>[0]): Blob {
  return new Blob([csvText(rows)], { type: "text/csv" });
}
