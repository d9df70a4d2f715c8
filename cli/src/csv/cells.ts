export type Separator = "," | ";" | "\t";

const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const nonfinite: ReadonlyMap<string, number> = new Map([
  ["nan", NaN],
  ["inf", Infinity],
  ["+inf", Infinity],
  ["-inf", -Infinity],
  ["infinity", Infinity],
  ["-infinity", -Infinity],
]);

/**
 * Splits a line into cells (RFC 4180); a quoted cell cannot hold a line break, as no column may.
 */
export function splitLine(text: string, separator: Separator = ","): string[] | string {
  if (!text.includes('"')) return text.split(separator);
  const cells: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}]*))(${separator}|$)`, "y");
  for (let more = true; more;) {
    const match = cell.exec(text);
    if (match === null) return "has a quote that does not enclose a whole cell";
    cells.push(match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'));
    more = match[3] === separator;
  }
  return cells;
}

/**
 * Parses a whole number, which may be written 1.0 or 1e3; nearly all are plain digits and need no
 * pattern.
 */
export function wholeNumber(text: string): number | undefined {
  const digits = text.length > 0 && text.length < 16 ? plainDigits(text) : -1;
  if (digits >= 0) return digits;
  if (!number.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** The number of plain digits; -1 for any other text. */
function plainDigits(text: string): number {
  let value = 0;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

export function valueOf(text: string): number | undefined {
  if (!number.test(text)) return nonfinite.get(text.toLowerCase());
  const value = Number(text);
  // 1e400 exceeds a double: storing Infinity would change the value.
  return Number.isFinite(value) ? value : undefined;
}
