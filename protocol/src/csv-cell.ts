/** A value as a CSV cell (RFC 4180), quoted where needed. */
export function csvCell(value: string | number | boolean | null): string {
  const cell = value === null ? "" : String(value);
  return /[",\r\n]/.test(cell) ? csvQuoted(cell) : cell;
}

/** A text as a CSV cell, always quoted. */
export function csvQuoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
