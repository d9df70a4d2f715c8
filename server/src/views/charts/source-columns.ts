import { setImmediate } from "node:timers/promises";
import { columnOf, type Raster } from "@lossless/protocol/raster";
import { pointsPerChunk } from "../../points/chunk.ts";
import type { DrawnSource, Summary } from "../../points/drawn-sources.ts";
import { sortPoints, type Axis } from "../../points/sorted-points.ts";
import type { Points } from "../../points/tail.ts";
import { MergedColumns, type ColumnPart } from "./merged-columns.ts";
import { endOfColumn, firstWhere } from "./positions.ts";
import { stretchOf } from "./stretch.ts";

/** Work after which the event loop runs, in points. */
const workPerTurn = 131_072;
/** Work of one grain, in points. */
const workPerGrain = 16;

/**
 * The columns of a line whose points are many: grains that lie within a column are taken whole, and
 * points are read where a column begins or ends inside of one. No source has to wait for another.
 */
export class SourceColumns {
  readonly merged: MergedColumns;
  readonly #raster: Raster;
  readonly #axis: Axis;
  readonly #origin: number;
  #work = 0;
  /**
   * Memory for the points of one chunk at a time: allocating it for each takes as long as using it.
   */
  #room: Points | undefined;
  /**
   * Memory for one grain at a time: an object for each of some 100,000 is most of the cost of a
   * chart.
   */
  readonly #part: ColumnPart = emptyPart();

  constructor(raster: Raster, axis: Axis, origin: number) {
    this.merged = new MergedColumns(raster);
    this.#raster = raster;
    this.#axis = axis;
    this.#origin = origin;
  }

  /** `arrival` goes up from source to source. */
  async add(source: DrawnSource, arrival: number): Promise<void> {
    const summary = usableSummary(source, this.#raster, this.#axis, this.#origin);
    if (summary === undefined) {
      const opened = await source.summary?.open();
      const points = opened ? this.#slice(opened, 0, source.count) : await source.read();
      // Testing whether millions of points are in order takes as long as their columns.
      const isSorted = isInOrder(source.summary, this.#axis);
      this.#addPoints(isSorted ? points : sortPoints(points, this.#axis), arrival);
      this.#work += source.count;
    } else await this.#addGrains(summary, arrival);
    if (this.#work < workPerTurn) return;
    this.#work = 0;
    await setImmediate();
  }

  async #addGrains(summary: Summary, arrival: number): Promise<void> {
    const grains = await summary.grains();
    const [x, tie] = this.#axis === "step" ? places : [places[1], places[0]];
    const [firstX, lastX] = [grains[x.first], grains[x.last]];
    const [firstTie, lastTie] = [grains[tie.first], grains[tie.last]];
    const [minX, maxX] = [grains[x.min], grains[x.max]];
    const { outside } = this.merged;
    const part = this.#part;
    part.arrival = arrival;
    const opened: { start: number; end: number }[] = [];
    let end = 0;
    for (let at = 0; at < grains.count.length; at++) {
      const start = end;
      end += grains.count[at];
      const column = this.#columnOf(firstX[at], lastX[at]);
      if (column === "before") {
        outside.takeBefore(this.#placed(grains.last[at], lastX[at], lastTie[at], arrival));
        continue;
      }
      if (column === "after") {
        outside.takeAfter(this.#placed(grains.first[at], firstX[at], firstTie[at], arrival));
        continue;
      }
      if (column === "several" || !Number.isFinite(grains.sum[at])) {
        if (opened.at(-1)?.end === start) opened.at(-1)!.end = end;
        else opened.push({ start, end });
        continue;
      }
      part.count = grains.count[at];
      part.mean = grains.sum[at] / grains.count[at];
      part.first = grains.first[at];
      part.firstX = firstX[at];
      part.firstTie = firstTie[at];
      part.last = grains.last[at];
      part.lastX = lastX[at];
      part.lastTie = lastTie[at];
      part.min = grains.min[at];
      part.minX = minX[at] - this.#origin;
      part.max = grains.max[at];
      part.maxX = maxX[at] - this.#origin;
      this.merged.take(column, part);
    }
    this.#work += workPerGrain * grains.count.length;
    if (opened.length === 0) return;
    const points = await summary.open();
    for (const part of opened) {
      this.#addPoints(this.#slice(points, part.start, part.end), arrival);
      this.#work += part.end - part.start;
    }
  }

  /** Returns a slice that is valid until the next call. */
  #slice(opened: OpenPoints, start: number, end: number): Points {
    this.#room ??= roomForChunk();
    return opened.slice(start, end, this.#room);
  }

  /** Adds points, which are in the order of the axis. */
  #addPoints(points: Points, arrival: number): void {
    const x = points[this.#axis];
    const placeAt = (row: number) => x[row] - this.#origin;
    const { start, end } = this.#raster;
    let row = firstWhere(0, x.length, (at) => placeAt(at) >= start);
    const last = firstWhere(row, x.length, (at) => placeAt(at) >= end);
    const ties = this.#axis === "step" ? points.timestamp : points.step;
    const placed = (at: number) => this.#placed(points.value[at], x[at], ties[at], arrival);
    if (row > 0) this.merged.outside.takeBefore(placed(row - 1));
    if (last < x.length) this.merged.outside.takeAfter(placed(last));
    while (row < last) {
      const column = columnOf(this.#raster, placeAt(row));
      const next = endOfColumn(this.#raster, row, last, placeAt);
      this.merged.take(column, this.#partOf(points, row, next, arrival));
      row = next;
    }
  }

  #placed(value: number, place: number, tie: number, arrival: number) {
    return { x: place - this.#origin, value, tie, arrival };
  }

  /**
   * Summarizes the points from `start` to before `end`: of one column, in the order of the axis.
   */
  #partOf(points: Points, start: number, end: number, arrival: number): ColumnPart {
    const x = points[this.#axis];
    const ties = this.#axis === "step" ? points.timestamp : points.step;
    const { value } = points;
    const { least, largest, mean } = stretchOf(value, start, end);
    return {
      arrival,
      count: end - start,
      mean,
      first: value[start],
      firstX: x[start],
      firstTie: ties[start],
      last: value[end - 1],
      lastX: x[end - 1],
      lastTie: ties[end - 1],
      min: value[least],
      minX: x[least] - this.#origin,
      max: value[largest],
      maxX: x[largest] - this.#origin,
    };
  }

  /** Returns the column of a stretch, or its side where it lies outside of the range. */
  #columnOf(first: number, last: number): number | "several" | "before" | "after" {
    const from = first - this.#origin;
    const to = last - this.#origin;
    const { start, end } = this.#raster;
    if (to < start) return "before";
    if (from >= end) return "after";
    if (from < start || to >= end) return "several";
    const column = columnOf(this.#raster, from);
    return columnOf(this.#raster, to) === column ? column : "several";
  }
}

function emptyPart(): ColumnPart {
  return {
    arrival: 0,
    count: 0,
    mean: 0,
    first: 0,
    firstX: 0,
    firstTie: 0,
    last: 0,
    lastX: 0,
    lastTie: 0,
    min: 0,
    minX: 0,
    max: 0,
    maxX: 0,
  };
}

type OpenPoints = Awaited<ReturnType<Summary["open"]>>;

function roomForChunk(): Points {
  const column = () => new Float64Array(pointsPerChunk);
  return { step: column(), timestamp: column(), value: column() };
}

/** Returns the number of points of a source that have to be read for its columns. */
export function pointsToRead(
  source: DrawnSource,
  raster: Raster,
  axis: Axis,
  origin: number,
): number {
  const summary = usableSummary(source, raster, axis, origin);
  if (summary === undefined || !summary.isStored) return source.count;
  if (isOutside(source, raster, axis, origin)) return 0;
  const { columns, isWhole } = spanOf(source, raster, axis, origin);
  if (isWhole && columns === 1) return 0;
  return axis === "step" && endsWithCells(raster, summary.exponent, origin) ? 0 : source.count;
}

/** Whether each column begins and ends where cells of steps do. */
function endsWithCells(raster: Raster, exponent: number, origin: number): boolean {
  const cell = 2 ** exponent;
  const width = (raster.end - raster.start) / raster.columns;
  return raster.xScale !== "log" && width % cell === 0 && (raster.start + origin) % cell === 0;
}

/** Returns the summary if most grains lie within one column, and are in the order of the axis. */
function usableSummary(
  source: DrawnSource,
  raster: Raster,
  axis: Axis,
  origin: number,
): Summary | undefined {
  const { summary, count } = source;
  if (!isInOrder(summary, axis)) return undefined;
  if (axis === "step" && endsWithCells(raster, summary.exponent, origin)) return summary;
  if (isOutside(source, raster, axis, origin)) return summary;
  const { columns } = spanOf(source, raster, axis, origin);
  return count >= grainsPerColumn * pointsPerGrain * columns ? summary : undefined;
}

/**
 * Whether a source lies outside of the range: at most one of its points is drawn then, and its
 * grains have it.
 */
function isOutside(source: DrawnSource, { start, end }: Raster, axis: Axis, origin: number) {
  return source.max[axis] - origin < start || source.min[axis] - origin >= end;
}

/** Whether the points of a chunk are known to lie in the order of the axis. */
export function isInOrder(summary: Summary | undefined, axis: Axis): summary is Summary {
  return summary !== undefined && (axis === "step" || summary.isOrdered);
}

/** With fewer, most grains would have to be opened. */
const grainsPerColumn = 2;
const pointsPerGrain = 128;

/**
 * Returns the number of columns in which a source may have points, and whether all of it lies in
 * the range.
 */
function spanOf(source: DrawnSource, raster: Raster, axis: Axis, origin: number) {
  const from = source.min[axis] - origin;
  const to = source.max[axis] - origin;
  const lastColumn = to >= raster.end ? raster.columns - 1 : columnOf(raster, to);
  const firstColumn = from < raster.start ? 0 : columnOf(raster, from);
  return {
    columns: lastColumn - firstColumn + 1,
    isWhole: from >= raster.start && to < raster.end,
  };
}

const places = [
  { first: "firstStep", last: "lastStep", min: "minStep", max: "maxStep" },
  {
    first: "firstTimestamp",
    last: "lastTimestamp",
    min: "minTimestamp",
    max: "maxTimestamp",
  },
] as const;
