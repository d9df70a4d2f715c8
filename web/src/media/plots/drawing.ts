/** A plot of our own: what is drawn of a plot that a run has logged. */
export interface Drawing {
  title: string;
  x: PlotAxis;
  y: PlotAxis;
  layers: readonly Layer[];
}

export interface PlotAxis {
  title: string;
  /** Names of the places 0, 1, 2 …; undefined: places are numbers. */
  names?: readonly string[] | undefined;
  isLog?: boolean;
  /** Whether it begins at the top, or at the right. */
  isReversed?: boolean;
}

export type Layer =
  /** Missing numbers are NaN: a line is broken there. */
  | { kind: "line" | "points"; name: string; x: readonly number[]; y: readonly number[] }
  /** From `from` to `to`, at the places from `left` to `right`; `isAcross`: horizontal ones. */
  | { kind: "bars"; name: string; bars: readonly Bar[]; isAcross: boolean }
  /** Rows of numbers; the place of a cell is its index. */
  | { kind: "cells"; rows: readonly (readonly number[])[] };

export interface Bar {
  left: number;
  right: number;
  from: number;
  to: number;
}

/** Why something is not drawn; it is shown in another way then. */
export class NotDrawn extends Error {
  override name = "NotDrawn";
}

/** Numbers of a plot at most: more are slow to lay out. */
export const plotNumbersMax = 200_000;

/**
 * Places on an axis: numbers are themselves, and if any value is none, all of them are names, in
 * the order of their first appearance.
 */
export class Places {
  readonly names: string[] | undefined;
  readonly #at = new Map<string, number>();

  constructor(values: readonly unknown[]) {
    if (values.every(isNumeric)) return;
    this.names = [];
    for (const value of values) {
      const name = nameOf(value);
      if (this.#at.has(name)) continue;
      this.#at.set(name, this.names.length);
      this.names.push(name);
    }
  }

  of(value: unknown): number {
    return this.names === undefined ? numberOf(value) : this.#at.get(nameOf(value))!;
  }
}

/** Reads a number of JSON as our client writes it: those that are not finite are words. */
export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  const word = isObject(value) ? value["_number"] : undefined;
  return word === "Infinity" || word === "-Infinity" ? Number(word) : NaN;
}

function isNumeric(value: unknown): boolean {
  return typeof value === "number" || value === null || (isObject(value) && "_number" in value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function nameOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Bars of a histogram of numbers, of equal width. */
export function countedBars(values: readonly number[], bins: number): Bar[] {
  const finite = values.filter((value) => Number.isFinite(value));
  if (finite.length === 0) return [];
  const low = finite.reduce((least, value) => Math.min(least, value));
  const high = finite.reduce((most, value) => Math.max(most, value));
  const [start, end] = low === high ? [low - 0.5, high + 0.5] : [low, high];
  const counts = Array<number>(bins).fill(0);
  const width = (end - start) / bins;
  for (const value of finite) counts[Math.min(bins - 1, Math.floor((value - start) / width))]++;
  return counts.map((count, at) => ({
    left: start + at * width,
    right: start + (at + 1) * width,
    from: 0,
    to: count,
  }));
}
