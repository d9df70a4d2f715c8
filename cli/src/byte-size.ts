const units: Record<string, number> = { "": 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** Parses `50GB`, `1.5 TB` or a plain number of bytes, 1 GB being 1,000,000,000 bytes; else NaN. */
export function bytesOf(text: string): number {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?) ?([kmgt]?b)?$/i.exec(text) ?? [];
  if (digits === "") return Number.NaN;
  return Math.round(Number(digits) * (units[unit.toLowerCase()] ?? Number.NaN) * 1e3) / 1e3;
}
