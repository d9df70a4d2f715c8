/** Numbers and times, as pages say them. */

import { ConnectionError } from "@lossless/client";

/** `isMinimum`: there may be more. */
export function leastText(count: number, isMinimum: boolean): string {
  return `${countText(count)}${isMinimum ? "+" : ""}`;
}

export function countText(count: number): string {
  return count.toLocaleString("en");
}

/** So many digits tell values apart, unless they lie closer to each other. */
export const usualDigits = 6;

/**
 * A number as pages say it everywhere: whole ones as they are, others with so many digits, and all
 * of those before the point. What was rounded keeps its zeros: `1.1` is 1.1, and `1.10000` nearly.
 */
export function valueText(value: number, digits = usualDigits): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  if (Number.isSafeInteger(value)) return countText(value);
  const size = Math.abs(value);
  const isShort = (most: number) => Number(value.toPrecision(most)) === value;
  if (size >= 1e15 || size < 1e-4) {
    const text = isShort(digits) ? value.toExponential() : value.toExponential(digits - 1);
    return text.replace("+", "");
  }
  const shown = Math.min(17, Math.max(digits, wholeDigits(value)));
  return groupedText(isShort(shown) ? String(value) : value.toPrecision(shown));
}

/** How many digits stand before the point. */
export function wholeDigits(value: number): number {
  return Math.max(1, Math.floor(Math.log10(Math.abs(value))) + 1);
}

/** So many digits that a thousandth of what lies between two numbers is seen. */
export function digitsBetween(low: number, high: number): number {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const needed = Math.ceil(Math.log10(size / Math.abs(high - low))) + 3;
  return Number.isFinite(needed) ? Math.min(17, Math.max(usualDigits, needed)) : usualDigits;
}

/** As people read them: 95,352.1 */
export function digitsText(value: number, digits = 7): string {
  return groupedText(String(Number(value.toPrecision(digits))));
}

function groupedText(text: string): string {
  const [whole, ...fraction] = text.split(".");
  return [Number(whole).toLocaleString("en"), ...fraction].join(".");
}

const units: readonly [string, number][] = [
  ["years", 365 * 86_400_000],
  ["months", 30.4375 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** `5 months`, `3 d`, `2 h`, `14 min`, `8 s`. */
export function durationText(ms: number): string {
  for (const [unit, length] of units)
    if (ms >= 2 * length) return `${Math.floor(ms / length)} ${unit}`;
  return "1 s";
}

/** `1 h 30 min`: the largest units that are not 0. */
export function spanText(ms: number, unitsShown = 2): string {
  const parts: string[] = [];
  let rest = Math.round(ms);
  for (const [unit, length] of [...units, ["ms", 1] as const]) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 && parts.length < unitsShown) parts.push(`${count} ${unit}`);
  }
  return parts.join(" ") || "0";
}

const byteUnits = ["kB", "MB", "GB", "TB", "PB"];

/** `512 B`, `1.2 GB`: thousands, as stores and disks count. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes;
  let unit = "";
  for (const each of byteUnits) {
    if (value < 999.5) break;
    value /= 1_000;
    unit = each;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** `3 files`, `1 file`. */
export function countedText(count: number, word: string): string {
  return `${countText(count)} ${word}${count === 1 ? "" : "s"}`;
}

export function timeText(ms: number): string {
  return new Date(ms).toLocaleString("sv");
}

export const unreached = "The service cannot be reached.";

export function messageOf(error: unknown): string {
  // Whoever looks at the page has its address, and what a browser calls it helps nobody.
  if (error instanceof ConnectionError) return unreached;
  return error instanceof Error ? error.message : String(error);
}

/** Beside the word, so that nobody needs to tell colours apart. */
export const statusSigns = { running: "●", done: "✓", error: "✕" } as const;

/** A running experiment from which nothing came for so long is called silent. */
export const silentFromMs = 300_000;
