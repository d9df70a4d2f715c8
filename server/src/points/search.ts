import {
  compareKeys,
  concatenate,
  keep,
  keyAt,
  sortPoints,
  type Axis,
  type Key,
} from "./sorted-points.ts";
import type { Points } from "./tail.ts";

/**
 * A part of a partition with known bounds: a sealed chunk, or the tail. Sources are given in order
 * of arrival.
 */
export interface PointSource {
  count: number;
  /** Bounds of each column, inclusive. */
  min: Record<Axis, number>;
  max: Record<Axis, number>;
  /** Points come in arrival order within equal (step, timestamp). It may be called repeatedly. */
  read(): Promise<Points>;
}

/** Points held in memory at most, beyond one source, before search turns to selection passes. */
export const pendingPointsMax = 1_048_576;

/**
 * Yields a partition's points in the order of the axis, in blocks. Memory is bounded however the
 * sources overlap (only points equal in step and timestamp are never parted).
 *
 * Sources are read in the order of their lower bounds. All points below the next source's lower
 * bound are final and yielded; the rest is pending. Ordinary data (each source after the one
 * before) never has anything pending. When the sources overlap so much that the pending points
 * exceed `pendingMax`, the smallest are selected by passes over all overlapping sources, which
 * costs time instead of memory.
 */
export async function* searchPoints(
  sources: PointSource[],
  axis: Axis,
  pendingMax = pendingPointsMax,
): AsyncGenerator<Points> {
  const waiting = sources
    .map((source, order) => ({ source, order, lower: lowerBound(source, axis) }))
    .sort((left, right) => compareKeys(left.lower, right.lower) || left.order - right.order);
  let pending: Part[] = [];
  let next = 0;
  while (next < waiting.length) {
    const { source, order } = waiting[next];
    next++;
    const bound = next < waiting.length ? waiting[next].lower : undefined;
    if (
      pending.length === 0 &&
      (bound === undefined || compareKeys(upperBound(source, axis), bound) < 0)
    ) {
      yield sortPoints(await source.read(), axis);
      continue;
    }
    pending.push({ order, points: await source.read() });
    const ready = sorted(
      filtered(pending, axis, (key) => bound === undefined || compareKeys(key, bound) < 0),
      axis,
    );
    if (ready !== undefined) yield ready;
    if (bound === undefined) return;
    pending = filtered(pending, axis, (key) => compareKeys(key, bound) >= 0);
    if (countOf(pending) > pendingMax) {
      const end = overlapEnd(waiting, next, pending, axis);
      yield* selectByPasses(pending, waiting.slice(next, end), axis, pendingMax);
      pending = [];
      next = end;
    }
  }
}

/** The sources in the order of the axis, where each has ended before the next one begins. */
export function apart<Source extends PointSource>(
  sources: readonly Source[],
  axis: Axis,
): Source[] | undefined {
  const inOrder = sources.toSorted((left, right) =>
    compareKeys(lowerBound(left, axis), lowerBound(right, axis)),
  );
  const isApart = inOrder.every(
    (source, at) =>
      at === 0 || compareKeys(upperBound(inOrder[at - 1], axis), lowerBound(source, axis)) < 0,
  );
  return isApart ? inOrder : undefined;
}

interface Waiting {
  source: PointSource;
  /** Place in the order of arrival: ties between sources are decided by it. */
  order: number;
  lower: Key;
}

interface Part {
  order: number;
  points: Points;
}

/**
 * Returns a key not above that of any point of the source (the two columns' bounds need not be of
 * one point).
 */
function lowerBound(source: PointSource, axis: Axis): Key {
  return axis === "step"
    ? [source.min.step, source.min.timestamp]
    : [source.min.timestamp, source.min.step];
}

function upperBound(source: PointSource, axis: Axis): Key {
  return axis === "step"
    ? [source.max.step, source.max.timestamp]
    : [source.max.timestamp, source.max.step];
}

function countOf(parts: Part[]): number {
  return parts.reduce((sum, part) => sum + part.points.step.length, 0);
}

function filtered(parts: Part[], axis: Axis, wanted: (key: Key) => boolean): Part[] {
  return parts
    .map(({ order, points }) => ({ order, points: keep(points, axis, wanted) }))
    .filter(({ points }) => points.step.length > 0);
}

function sorted(parts: Part[], axis: Axis): Points | undefined {
  if (parts.length === 0) return undefined;
  const byArrival = parts.toSorted((left, right) => left.order - right.order);
  return sortPoints(concatenate(byArrival.map((part) => part.points)), axis);
}

/**
 * Returns the end of the sources that overlap, directly or through each other, with the pending
 * points.
 */
function overlapEnd(waiting: Waiting[], next: number, pending: Part[], axis: Axis): number {
  let reach = -Infinity;
  for (const { points } of pending) for (const key of points[axis]) if (key > reach) reach = key;
  let end = next;
  while (end < waiting.length && waiting[end].source.min[axis] <= reach) {
    reach = Math.max(reach, waiting[end].source.max[axis]);
    end++;
  }
  return end;
}

/**
 * Repeats: reads all sources, keeps the `pendingMax` smallest points not yielded yet, and yields
 * them.
 */
async function* selectByPasses(
  pending: Part[],
  sources: Waiting[],
  axis: Axis,
  pendingMax: number,
): AsyncGenerator<Points> {
  let above: Key = [-Infinity, -Infinity];
  for (;;) {
    const selection = new Selection(axis, above, pendingMax);
    for (const part of pending) selection.add(part);
    for (const { source, order, lower } of sources) {
      if (source.max[axis] < above[0] || compareKeys(lower, selection.ceiling) > 0) continue;
      selection.add({ order, points: await source.read() });
    }
    const ready = selection.smallest();
    if (ready === undefined) return;
    yield ready;
    above = keyAt(ready, axis, ready.step.length - 1);
  }
}

/** The smallest points above a key; cut back whenever twice too many are held. */
class Selection {
  /** Points above this are certainly not among the smallest. */
  ceiling: Key = [Infinity, Infinity];
  readonly #axis: Axis;
  readonly #above: Key;
  readonly #most: number;
  #parts: Part[] = [];

  constructor(axis: Axis, above: Key, most: number) {
    this.#axis = axis;
    this.#above = above;
    this.#most = most;
  }

  add(part: Part): void {
    this.#parts.push(
      ...filtered(
        [part],
        this.#axis,
        (key) => compareKeys(key, this.#above) > 0 && compareKeys(key, this.ceiling) <= 0,
      ),
    );
    if (countOf(this.#parts) > 2 * this.#most) this.#cut();
  }

  smallest(): Points | undefined {
    if (countOf(this.#parts) > this.#most) this.#cut();
    return sorted(this.#parts, this.#axis);
  }

  /** Lowers the ceiling to the key of the `most`-th point; all equal keys are kept. */
  #cut(): void {
    const all = sorted(this.#parts, this.#axis)!;
    this.ceiling = keyAt(all, this.#axis, this.#most - 1);
    this.#parts = filtered(this.#parts, this.#axis, (key) => compareKeys(key, this.ceiling) <= 0);
  }
}
