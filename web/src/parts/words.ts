/** Numbers and times in words, as on all pages. */

import { ConnectionError } from "@lossless/client";

/** Said where a reply `isBehind`. */
export const fromBeforeText = "what was recorded before the last upgrade is still looked through";

/** `isMinimum`: there may be more, shown as `+`. */
export function leastText(count: number, isMinimum: boolean): string {
  return `${countText(count)}${isMinimum ? "+" : ""}`;
}

export function countText(count: number): string {
  return grouped.format(count);
}

/** Made once: `toLocaleString` makes one for each number, and pages have thousands. */
const grouped = new Intl.NumberFormat("en");

/** Significant digits of values that are not very close to each other. */
export const usualDigits = 6;

/**
 * A number as shown on all pages: integers in full, others with this many significant digits, and
 * at least all digits before the point. Rounded values keep their zeros: `1.1` is 1.1, and
 * `1.10000` nearly.
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

/** Digits before the point. */
export function wholeDigits(value: number): number {
  return Math.max(1, Math.floor(Math.log10(Math.abs(value))) + 1);
}

/** A difference with its sign: `+0.0018`. */
export function differenceText(difference: number): string {
  if (difference === 0) return "±0";
  const size = Math.abs(difference);
  // Integers keep all digits, which distinguish two counts.
  const digits = Number.isInteger(size) ? 17 : Math.max(4, wholeDigits(size));
  return (difference > 0 ? "+" : "−") + valueText(Number(size.toPrecision(digits)));
}

/** Digits that resolve a thousandth of the distance between two numbers. */
export function digitsBetween(low: number, high: number): number {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const needed = Math.ceil(Math.log10(size / Math.abs(high - low))) + 3;
  return Number.isFinite(needed) ? Math.min(17, Math.max(usualDigits, needed)) : usualDigits;
}

/** Groups digits for reading: 95,352.1 */
export function digitsText(value: number, digits = 7): string {
  return groupedText(String(Number(value.toPrecision(digits))));
}

function groupedText(text: string): string {
  const [whole, ...fraction] = text.split(".");
  return [grouped.format(Number(whole)), ...fraction].join(".");
}

const units: readonly [string, number][] = [
  ["years", 365 * 86_400_000],
  ["months", 30.4375 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** A duration in its largest unit: `5 months`, `3 d`, `2 h`, `14 min`, `8 s`. */
export function durationText(ms: number): string {
  for (const [unit, length] of units)
    if (ms >= 2 * length) return `${Math.floor(ms / length)} ${unit}`;
  return "1 s";
}

/** A duration in its largest units that are not 0: `1 h 30 min`. */
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

/** Bytes in decimal units, as stores and disks count: `512 B`, `1.2 GB`. */
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

/** A count with its noun: `3 files`, `1 file`, `2 entries`. */
export function countedText(count: number, word: string, plural = `${word}s`): string {
  return `${countText(count)} ${count === 1 ? word : plural}`;
}

export function timeText(ms: number): string {
  return new Date(ms).toLocaleString("sv");
}

export const unreached = "The service cannot be reached.";

export function messageOf(error: unknown): string {
  // The reader has the address, and the browser's own message helps little.
  if (error instanceof ConnectionError) return unreached;
  return error instanceof Error ? error.message : String(error);
}

/** Signs beside the words, so that statuses do not depend on colour. */
export const statusSigns = { running: "●", done: "✓", error: "✕" } as const;

/** Milliseconds without data after which a running experiment is called silent. */
export const silentFromMs = 300_000;
