/** A table as a text: RFC 4180, as the service writes them. */
export function csvText(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(",")}\r\n`).join("");
}

/** The same as a file. */
export function csvFile(rows: Parameters<typeof csvText>[0]): Blob {
  return new Blob([csvText(rows)], { type: "text/csv" });
}

function cellText(value: string | number | null): string {
  const cell = value === null ? "" : String(value);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
