import { setImmediate } from "node:timers/promises";
import type { Raster } from "@lossless/protocol/raster";
import type { DrawnSource } from "../../points/drawn-sources.ts";
import { pointsPerChunk } from "../../points/chunk.ts";
import { apart, searchPoints } from "../../points/search.ts";
import { slice, sortPoints, type Axis } from "../../points/sorted-points.ts";
import type { Points } from "../../points/tail.ts";
import type { MergedColumns } from "./merged-columns.ts";
import { firstWhere } from "./positions.ts";
import { isInOrder, pointsToRead, SourceColumns } from "./source-columns.ts";

/** The values to draw along an axis, in its order. */
export interface Curve {
  x: Float64Array;
  value: Float64Array;
}

/** The points themselves. */
export interface PlacedPoints extends Curve {
  step: Float64Array;
  timestamp: Float64Array;
}

/** A part of an axis, in its units, and the number of points needed around it. */
export interface Extent {
  start: number;
  /** Exclusive. */
  end: number;
  /** Points before the range, and behind it, by which those in it are smoothed. */
  before: number;
  after: number;
  /** The place from which on points influence one at x, if that is no number of points. */
  from?: (x: number) => number;
}

/** The points of one partition, laid along the requested axis, from which a reduction draws. */
export interface Line {
  /** The least and the largest x; undefined without points. */
  bounds(): { first: number; last: number } | undefined;
  /** The least x above 0, where a logarithmic axis may begin, and how many points it leaves out. */
  firstAbove0(): Promise<{ first: number; below: number }>;
  /** A range that holds the points nearest to a place, on either side. */
  around(x: number): Extent;
  /** Returns the number of points that an extent has to read. */
  count(extent: Extent): number;
  /** Points from `start` to before `end`: only sources across an edge are read for it. */
  exactCount(start: number, end: number): Promise<number>;
  /** Yields points in the order of the axis; some lie outside of the range and its surroundings. */
  blocks(extent: Extent): AsyncIterable<PlacedPoints> | Iterable<PlacedPoints>;
  /** Yields the same for drawing: each block is valid until the next one is taken. */
  curve(extent: Extent): AsyncIterable<Curve> | Iterable<Curve>;
  /**
   * Returns a cheaper way to its columns, where certainly more than `exactPointsMax` points lie in
   * them.
   */
  dense?(raster: Raster, exactPointsMax: number): DenseLine | undefined;
}

export interface DenseLine {
  pointsToRead: number;
  columns(): Promise<MergedColumns>;
}

/** A line along steps or timestamps, counted from its origin. */
export class SourceLine implements Line {
  readonly #sources: readonly DrawnSource[];
  readonly #axis: Axis;
  /** The step or timestamp at 0 of the requested axis. */
  readonly #origin: number;

  constructor(sources: readonly DrawnSource[], axis: Axis, origin: number) {
    this.#sources = sources.map((source) => (source.isGrowing ? sortedOnce(source, axis) : source));
    this.#axis = axis;
    this.#origin = origin;
  }

  bounds(): { first: number; last: number } | undefined {
    if (this.#sources.length === 0) return undefined;
    const spans = this.#spans();
    return {
      first: spans.reduce((least, { first }) => Math.min(least, first), Infinity),
      last: spans.reduce((most, { last }) => Math.max(most, last), -Infinity),
    };
  }

  async firstAbove0(): Promise<{ first: number; below: number }> {
    let below = 0;
    for await (const { x } of this.#placed([...this.#sources])) {
      const first = firstNotBelow(x, Number.MIN_VALUE);
      below += first;
      if (first < x.length) return { first: x[first], below };
      await setImmediate();
    }
    return { first: Infinity, below };
  }

  around(x: number): Extent {
    // The bounds of both columns are places of points.
    const spans = this.#spans();
    const start = spans.reduce(
      (most, { last }) => (last <= x ? Math.max(most, last) : most),
      -Infinity,
    );
    const end = spans.reduce(
      (least, { first }) => (first >= x ? Math.min(least, first) : least),
      Infinity,
    );
    return { start, end: end + 1, before: 0, after: 0 };
  }

  count(extent: Extent): number {
    return countOf(this.#within(extent).sources);
  }

  async exactCount(start: number, end: number): Promise<number> {
    let count = 0;
    for (const { source, first, last } of this.#spans()) {
      if (last < start || first >= end) continue;
      const isInside = first >= start && last < end;
      if (isInside) count += source.count;
      else {
        count += await this.#countOf(source, start, end);
        await setImmediate();
      }
    }
    return count;
  }

  async #countOf(source: DrawnSource, start: number, end: number): Promise<number> {
    const along = (await source.read())[this.#axis];
    let count = 0;
    for (const each of along) {
      const x = each - this.#origin;
      if (x >= start && x < end) count++;
    }
    return count;
  }

  async *blocks(extent: Extent): AsyncGenerator<PlacedPoints> {
    const { sources, least, most } = this.#within(extent);
    for await (const placed of this.#placed(sources)) {
      // Only sources that reach into the extent are read: outside of it points may be missing.
      const [start, end] = [firstNotBelow(placed.x, least), firstAbove(placed.x, most)];
      if (start < end) yield sliceOf(placed, start, end);
    }
  }

  async *curve(extent: Extent): AsyncGenerator<Curve> {
    const { sources, least, most } = this.#within(extent);
    const inTurn = apart(sources, this.#axis);
    if (inTurn === undefined) return yield* this.blocks(extent);
    const room = { x: new Float64Array(pointsPerChunk), value: new Float64Array(pointsPerChunk) };
    for (const source of inTurn) {
      const { x, value } = await this.#curveOf(source, room);
      const [start, end] = [firstNotBelow(x, least), firstAbove(x, most)];
      if (start < end) yield { x: x.subarray(start, end), value: value.subarray(start, end) };
    }
  }

  async #curveOf(source: DrawnSource, room: Curve): Promise<Curve> {
    const [axis, origin] = [this.#axis, this.#origin];
    if (!isInOrder(source.summary, axis)) {
      const points = sortPoints(await source.read(), axis);
      const along = points[axis];
      return { x: along.map((each) => each - origin), value: points.value };
    }
    const { x, value } = (await source.summary.open()).curve(axis, room);
    if (origin === 0) return { x, value };
    const placed = room.x.subarray(0, x.length);
    for (let at = 0; at < x.length; at++) placed[at] = x[at] - origin;
    return { x: placed, value };
  }

  dense(raster: Raster, exactPointsMax: number): DenseLine | undefined {
    const [axis, origin] = [this.#axis, this.#origin];
    const spans = this.#spans().filter(
      ({ first, last }) => last >= raster.start && first < raster.end,
    );
    const whole = spans.filter(({ first, last }) => first >= raster.start && last < raster.end);
    if (countOf(whole.map(({ source }) => source)) <= exactPointsMax) return undefined;
    const { sources } = this.#within({ ...raster, before: 1, after: 1 });
    const toRead = sources.map((source) => pointsToRead(source, raster, axis, origin));
    return {
      pointsToRead: toRead.reduce((sum, count) => sum + count, 0),
      async columns() {
        const columns = new SourceColumns(raster, axis, origin);
        for (const [arrival, source] of sources.entries()) await columns.add(source, arrival);
        return columns.merged;
      },
    };
  }

  async *#placed(sources: DrawnSource[]): AsyncGenerator<PlacedPoints> {
    const origin = this.#origin;
    for await (const block of searchPoints(sources, this.#axis)) {
      const along = block[this.#axis];
      yield { ...block, x: origin === 0 ? along : along.map((each) => each - origin) };
    }
  }

  #spans(): Span[] {
    const [axis, origin] = [this.#axis, this.#origin];
    return this.#sources.map((source) => ({
      source,
      first: source.min[axis] - origin,
      last: source.max[axis] - origin,
    }));
  }

  /**
   * Returns the sources to be read, and the places, both included, between which nothing is missing
   * in them. Whole sources are counted, so it may take some points more than are needed.
   */
  #within({ start, end, before, after, from }: Extent) {
    const spans = this.#spans();
    const nearest = before === 0 ? start : placeBefore(spans, start, before);
    const least = from === undefined ? nearest : from(nearest);
    const most = after === 0 ? end : placeAfter(spans, end, after);
    const sources = spans
      .filter(({ first, last }) => last >= least && (after === 0 ? first < end : first <= most))
      .map(({ source }) => source);
    return { sources, least, most };
  }
}

/**
 * Returns the source with its points sorted once: unsealed points may have come in any order, and
 * be read for each of many places.
 */
function sortedOnce(source: DrawnSource, axis: Axis): DrawnSource {
  let points: Promise<Points> | undefined;
  const read = async () => sortPoints(await source.read(), axis);
  return { ...source, read: () => (points ??= read()) };
}

interface Span {
  source: DrawnSource;
  first: number;
  last: number;
}

/**
 * Returns a place from which to `start` there are at least `count` points, if there are as many.
 */
function placeBefore(spans: readonly Span[], start: number, count: number): number {
  if (count > 1) {
    const earlier = spans.filter(({ last }) => last < start);
    const nearestFirst = earlier.toSorted((one, other) => other.first - one.first);
    return reached(nearestFirst, count)?.first ?? -Infinity;
  }
  // Both bounds of a source are places of points.
  const bounds = spans.flatMap(({ first, last }) => [first, last]);
  return bounds.reduce((most, each) => (each < start ? Math.max(most, each) : most), -Infinity);
}

/**
 * Returns a place up to which from `end` there are at least `count` points, if there are as many.
 */
function placeAfter(spans: readonly Span[], end: number, count: number): number {
  if (count > 1) {
    const later = spans.filter(({ first }) => first >= end);
    const nearestFirst = later.toSorted((one, other) => one.last - other.last);
    return reached(nearestFirst, count)?.last ?? Infinity;
  }
  const bounds = spans.flatMap(({ first, last }) => [first, last]);
  return bounds.reduce((least, each) => (each >= end ? Math.min(least, each) : least), Infinity);
}

function reached(spans: readonly Span[], wanted: number): Span | undefined {
  let count = 0;
  return spans.find(({ source }) => (count += source.count) >= wanted);
}

export function sliceOf(placed: PlacedPoints, start: number, end: number): PlacedPoints {
  const { x, ...points } = placed;
  return { x: x.subarray(start, end), ...slice(points, start, end) };
}

function countOf(sources: readonly DrawnSource[]): number {
  return sources.reduce((sum, { count }) => sum + count, 0);
}

/** Returns the position of the first number that is not below a bound, in ascending numbers. */
export function firstNotBelow(sorted: Float64Array, bound: number): number {
  return firstOf(sorted, (x) => x >= bound);
}

function firstAbove(sorted: Float64Array, bound: number): number {
  return firstOf(sorted, (x) => x > bound);
}

function firstOf(sorted: Float64Array, isBehind: (x: number) => boolean): number {
  return firstWhere(0, sorted.length, (at) => isBehind(sorted[at]));
}
