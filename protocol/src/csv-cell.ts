/** A value as a cell of a file of CSV, by RFC 4180: quoted where that is needed. */
export function csvCell(value: string | number | boolean | null): string {
  const cell = value === null ? "" : String(value);
  return /[",\r\n]/.test(cell) ? csvQuoted(cell) : cell;
}

/** A text as a cell that is quoted in any case. */
export function csvQuoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
