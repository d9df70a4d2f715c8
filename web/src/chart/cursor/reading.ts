import { columnAround, columnOf, shareOf } from "@lossless/protocol/raster";
import { edgeOf, placeOfColumn, type ColumnAxis } from "../axes/axis-x.ts";
import { unitOfLine, type Unit } from "../../parts/units.ts";
import type { Partition } from "../lines/line.ts";

export interface Reading {
  x: number;
  /** The value of a single point, or the least and largest of a column. */
  min: number;
  max: number;
  /** Value of the smoothed line. */
  smoothed: number | undefined;
  /** The mean of a column. */
  mean?: number;
  /** Set for the last point of a range that values that are not finite may follow. */
  isLastFinite?: true;
  /** Earlier values of the same step. */
  earlier?: readonly number[];
  /** Set for a group. */
  group?: GroupReading;
  /** The next recorded place, where the cursor lies between two and near neither. */
  next?: Reading;
  /** Set where the line is not drawn at the cursor: a point is read that is away from there. */
  away?: Away;
  /** The unit of its series. */
  unit?: Unit;
}

/** The first or the last point of a line, or the last finite one, if values follow that are not. */
export interface Away {
  point: "first" | "last" | "finite";
  /** The end of the column that the point is in, where its own place is not known. */
  columnEnd?: number | undefined;
}

export interface GroupReading {
  mean: number;
  /** Members with a value there, and members with a point of their own. */
  count: number;
  recorded: number;
  /** Recorded places on either side, where no member has a point in the range. */
  around: { before?: number; after?: number };
}

/** Columns to either side of a recorded place in which the cursor reads it. */
const reach = 8;
/** Columns beyond the ends of a line: a pointer meets its last point, and no ended run stays. */
const endReach = 2;

/**
 * Reads a partition at a place on the axis: the recorded place near it, or the two that it lies
 * between. Beyond the ends of a line its first or last point is read, as one that is away.
 */
export function readingAt(
  partition: Partition,
  raster: ColumnAxis,
  x: number,
): Reading | undefined {
  const point = pointAt(partition, raster, x);
  const last = lastNonfiniteOf(partition);
  if (last === undefined || Number.isNaN(last.x)) return withUnit(partition, point);
  if (point === undefined) return last;
  const isNearer = point.next === undefined && Math.abs(last.x - x) < Math.abs(point.x - x);
  const { away } = point;
  const isFollowed = away?.point === "last" && x < last.x;
  const finite: Reading = isFollowed ? { ...point, away: { ...away, point: "finite" } } : point;
  if (!isNearer) return withUnit(partition, finite);
  const isNear = Math.abs(columnAround(raster, last.x) - columnAround(raster, x)) <= endReach;
  return isNear || isFollowed ? last : { ...last, away: { point: "last" } };
}

/** Whether a line has a point at the cursor, or is drawn there. */
export function isHere(reading: Reading | undefined): reading is Reading {
  return reading !== undefined && reading.away === undefined;
}

function withUnit(partition: Partition, reading: Reading | undefined): Reading | undefined {
  const unit = unitOfLine(partition);
  return reading && unit ? { ...reading, unit } : reading;
}

function pointAt(partition: Partition, raster: ColumnAxis, x: number): Reading | undefined {
  const places = placesOf(partition, raster);
  const { count, placeAt } = places;
  const wanted = partition.exact === undefined ? columnOf(raster, x) : x;
  const right = firstNotBelow(count, placeAt, wanted);
  const isStep = raster.xAxis === "step" || raster.xAxis === "offset";
  const isBeyond =
    (right === count && !places.isAfter) ||
    (right === 0 && placeAt(0) !== wanted && !places.isBefore);
  const near = isBeyond ? endReach : reach;
  const isNear = (at: number) =>
    at >= 0 &&
    at < count &&
    (Math.abs(places.columnAt(at) - columnAround(raster, x)) <= near ||
      // Between two steps that follow each other there is none.
      (isStep && Math.abs(placeAt(at) - wanted) <= 0.5));
  if (placeAt(right) !== wanted && !isNear(right - 1) && !isNear(right)) {
    const [before, after] = [places.before(right - 1), places.after(right)];
    if (before !== undefined && after !== undefined) return { ...before, next: after };
    const away = (reading: Reading, point: "first" | "last", at: number): Reading => {
      return { ...reading, away: { point, columnEnd: places.columnEnd?.(at) } };
    };
    if (after !== undefined && right === 0 && !places.isBefore) return away(after, "first", 0);
    if (before !== undefined && right === count && !places.isAfter)
      return away(before, "last", count - 1);
  }
  return count === 0 ? undefined : places.read(nearest(count, placeAt, wanted));
}

/** The recorded places of a line in the range, in the order of the axis. */
interface Places {
  count: number;
  /** In units of the axis, or the number of a column. */
  placeAt: (at: number) => number;
  columnAt: (at: number) => number;
  read: (at: number) => Reading;
  /** The end of the place at the left of a cursor, and the beginning of that at its right. */
  before: (at: number) => Reading | undefined;
  after: (at: number) => Reading | undefined;
  /** Whether there are places ahead of the range, and after it. */
  isBefore: boolean;
  isAfter: boolean;
  /** The end of the column of a place that may be anywhere in it. */
  columnEnd?: (at: number) => number | undefined;
}

function placesOf(partition: Partition, raster: ColumnAxis): Places {
  const { exact, reduced, smoothed, before, after, group } = partition;
  const outside = (
    point: Partition["before"],
    smooth: Partition["before"],
  ): Reading | undefined => {
    if (point === undefined) return undefined;
    return { x: point.x, min: point.value, max: point.value, smoothed: smooth?.value };
  };
  const left = outside(before, smoothed?.before);
  const right = outside(after, smoothed?.after);
  const sides = { isBefore: left !== undefined, isAfter: right !== undefined };
  if (group !== undefined && reduced !== undefined) return groupPlaces(partition, raster);
  if (reduced !== undefined && exact === undefined) {
    const { column } = reduced;
    const one = (at: number, side: "first" | "last"): Reading => {
      const value = reduced[side][at];
      const smooth = smoothed?.reduced?.[side][at];
      return { x: placeOfColumn(raster, column[at]), min: value, max: value, smoothed: smooth };
    };
    return {
      ...sides,
      count: column.length,
      placeAt: (at) => column[at],
      columnAt: (at) => column[at],
      columnEnd: (at) => endOfColumn(raster, column[at]),
      read: (at) => ({
        x: placeOfColumn(raster, column[at]),
        min: reduced.min[at],
        max: reduced.max[at],
        mean: reduced.mean[at],
        smoothed: smoothed?.reduced?.mean[at],
      }),
      before: (at) => (at < 0 ? left : one(at, "last")),
      after: (at) => (at >= column.length ? right : one(at, "first")),
    };
  }
  const { x, value } = exact ?? { x: [], value: [] };
  const read = (at: number): Reading => {
    const smooth = smoothed?.exact?.value[at];
    const point = { x: x[at], min: value[at], max: value[at], smoothed: smooth };
    const earlier = earlierAt(partition, point.x);
    return earlier.length === 0 ? point : { ...point, earlier };
  };
  return {
    ...sides,
    count: x.length,
    placeAt: (at) => x[at],
    columnAt: (at) => columnAround(raster, x[at]),
    read,
    before: (at) => (at < 0 ? left : read(at)),
    after: (at) => (at >= x.length ? right : read(at)),
  };
}

/** Values of a step before its last one, the latest first. */
function earlierAt({ earlier = [] }: Partition, x: number): number[] {
  return earlier.flatMap((line) => {
    const at = nearest(line.x.length, (row) => line.x[row], x);
    return line.x[at] === x ? [line.value[at]] : [];
  });
}

/** A group is read where a member has a point: in between its line is only drawn. */
function groupPlaces(partition: Partition, raster: ColumnAxis): Places {
  const { recorded, around } = partition.group!;
  const isRecorded = recorded.length > 0;
  const isOpen = (place: number | undefined) => !isRecorded || place !== undefined;
  const sides = { isBefore: isOpen(around.before), isAfter: isOpen(around.after) };
  const columnAt = (at: number) =>
    isRecorded ? recorded[at]?.column : partition.reduced!.column[at];
  const read = (at: number) => groupReading(partition, at, raster);
  const count = isRecorded ? recorded.length : partition.reduced!.column.length;
  const within = (at: number) => (isRecorded && at >= 0 && at < count ? read(at) : undefined);
  const columnEnd = (at: number) =>
    isRecorded && recorded[at].x !== undefined ? undefined : endOfColumn(raster, columnAt(at));
  const places = { ...sides, count, placeAt: columnAt, columnAt, columnEnd };
  return { ...places, read, before: within, after: within };
}

/** The end of a column; undefined: it is one whole step. */
function endOfColumn(raster: ColumnAxis, column: number): number | undefined {
  if (raster.xAxis === "metric") return edgeOf(raster, column + 1);
  const end = placeOfColumn(raster, column + 1);
  return end - placeOfColumn(raster, column) > 1 ? end : undefined;
}

/** Reads a group at one of its recorded places, or of its columns if it has none. */
function groupReading(
  { group, reduced }: Partition,
  placeAt: number,
  raster?: ColumnAxis,
): Reading {
  const { count, recorded, around } = group!;
  const { column: columns, mean, min, max } = reduced!;
  const place = recorded[placeAt];
  const at =
    place === undefined
      ? Math.min(placeAt, columns.length - 1)
      : nearest(columns.length, (row) => columns[row], place.column);
  return {
    x: raster === undefined ? NaN : (place?.x ?? placeOfColumn(raster, columns[at])),
    min: min[at],
    max: max[at],
    smoothed: undefined,
    group: { mean: mean[at], count: count[at], recorded: place?.members ?? 0, around },
  };
}

/** The last value of a partition in the range, which says where a curve has got to. */
export function lastOf(partition: Partition): Reading | undefined {
  const last = lastNonfiniteOf(partition);
  if (last !== undefined) return { ...last, x: NaN };
  const point = withUnit(partition, lastPointOf(partition));
  return point && partition.mayEndNonfinite ? { ...point, isLastFinite: true } : point;
}

/**
 * The last value of a partition where it is not finite; undefined for a group, whose members have
 * their own.
 */
function lastNonfiniteOf({ lastNonfinite, group }: Partition): Reading | undefined {
  if (lastNonfinite === undefined || group !== undefined) return undefined;
  const { x = NaN, value } = lastNonfinite;
  return { x, min: Number(value), max: Number(value), smoothed: undefined };
}

/** The last point of a partition in the range: where its line ends. */
export function lastPointOf(partition: Partition): Reading | undefined {
  const { exact, reduced, smoothed, group } = partition;
  if (group !== undefined && reduced !== undefined) {
    const places = group.recorded.length > 0 ? group.recorded : reduced.column;
    return groupReading(partition, places.length - 1);
  }
  const value = (exact?.value ?? reduced?.last)?.at(-1);
  const smooth = (smoothed?.exact?.value ?? smoothed?.reduced?.last)?.at(-1);
  return value === undefined ? undefined : { x: NaN, min: value, max: value, smoothed: smooth };
}

/** The one value of a reading: that of the line which guides the eye. */
export function drawnOf({ group, smoothed, mean, max }: Reading): number {
  return group?.mean ?? smoothed ?? mean ?? max;
}

/** The value of a line at a place: of a column the mean, and between two points on its way. */
export function levelOf(reading: Reading, raster: ColumnAxis, x: number): number {
  const { next } = reading;
  if (next === undefined) return drawnOf(reading);
  const share = wayTo(reading, raster, x);
  return drawnOf(reading) * (1 - share) + drawnOf(next) * share;
}

/** How far a place is on the way to the next recorded one, from 0 to 1. */
export function wayTo({ x: from, next }: Reading, { start, end, xScale }: ColumnAxis, x: number) {
  if (next === undefined) return 0;
  const raster = { start, end, columns: 1, xScale };
  const [left, here, right] = [from, x, next.x].map((place) => shareOf(raster, place));
  const share = (here - left) / (right - left);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
}

/** Index of the nearest number in a sorted list; of two equally near the larger. */
function nearest(count: number, numberAt: (at: number) => number, wanted: number): number {
  const low = Math.min(firstNotBelow(count, numberAt, wanted), count - 1);
  return low > 0 && wanted - numberAt(low - 1) < numberAt(low) - wanted ? low - 1 : low;
}

/** Index of the first number that is not below the wanted one, in a sorted list; or its length. */
function firstNotBelow(count: number, numberAt: (at: number) => number, wanted: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numberAt(middle) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
