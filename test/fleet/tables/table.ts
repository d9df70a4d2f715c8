/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A number with two or three digits that matter, and commas. */
export function short(value: number): string {
  if (value === 0) return "0";
  const digits = value >= 100 ? 3 : 2;
  return Number(value.toPrecision(digits)).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

/** Bytes with a unit of thousands. */
export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const power = Math.max(0, Math.min(5, Math.floor(Math.log10(bytes) / 3)));
  return `${short(bytes / 1_000 ** power)} ${units[power]}`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}
