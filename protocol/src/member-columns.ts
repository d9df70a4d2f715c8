import { columnOf, shareOf, type Raster } from "./raster.ts";

/** A line as an overview has it: its points where they are few, else its columns. */
export interface OverviewLine {
  exact?: { x: ArrayLike<number>; value: ArrayLike<number> };
  reduced?: Record<"column" | "first" | "last" | "min" | "max" | "mean", readonly number[]>;
  /** The points next to the range. */
  before?: { x: number; value: number };
  after?: { x: number; value: number };
}

/** A line's values in the columns of an overview; NaN where it has none. */
export interface MemberColumns {
  /** The mean of its points in a column; without points, its interpolated value in the middle. */
  value: Float64Array;
  /** Its least and its largest point there, or the interpolated value. */
  min: Float64Array;
  max: Float64Array;
  /** 1 where it has points of its own. */
  recorded: Uint8Array;
  /** The place of these points; NaN: there are several, or only columns are known. */
  place: Float64Array;
}

/** A known value of a line, in columns: between two of them it is straight. */
interface ValueAt {
  column: number;
  value: number;
}

/**
 * The values of a line in each column. Between its points they are interpolated, as the line is
 * drawn there; before the first and after the last point there are none. `room` is overwritten, and
 * means nothing where `value` is NaN.
 */
export function memberColumns(
  line: OverviewLine,
  raster: Raster,
  room = roomFor(raster),
): MemberColumns {
  const { reduced } = line;
  const filled =
    reduced === undefined ? pointsIn(line, raster, room) : columnsIn(line, raster, room);
  const { columns, before, after } = filled;
  const { value, min, max, recorded } = columns;
  let column = 0;
  while (column < raster.columns) {
    if (recorded[column] === 1) {
      column++;
      continue;
    }
    let next = column;
    while (next < raster.columns && recorded[next] === 0) next++;
    const left = column === 0 ? before : filled.lastIn(column - 1);
    const right = next < raster.columns ? filled.firstIn(next) : after;
    if (left !== undefined && right !== undefined)
      for (let each = column; each < next; each++)
        value[each] = min[each] = max[each] = between(left, right, each + 0.5);
    column = next;
  }
  return columns;
}

/** Interpolates, within the two values despite rounding. */
function between(left: ValueAt, right: ValueAt, column: number): number {
  const share = (column - left.column) / (right.column - left.column);
  const value = left.value * (1 - share) + right.value * share;
  const [low, high] = [Math.min(left.value, right.value), Math.max(left.value, right.value)];
  return Math.min(high, Math.max(low, value));
}

interface FilledColumns {
  columns: MemberColumns;
  firstIn: (column: number) => ValueAt;
  lastIn: (column: number) => ValueAt;
  before: ValueAt | undefined;
  after: ValueAt | undefined;
}

/** Memory for one line after the other, on one raster. */
export interface Room {
  columns: MemberColumns;
  layout: Layout | undefined;
  /** The layout of which `recorded` and `place` are. */
  filled: Layout | undefined;
  /** Where a column's values stand among those of a reduced line. */
  at: Int32Array;
}

export function roomFor({ columns: count }: Raster): Room {
  const none = () => new Float64Array(count);
  const recorded = new Uint8Array(count);
  return {
    columns: { value: none(), min: none(), max: none(), recorded, place: none() },
    layout: undefined,
    filled: undefined,
    at: new Int32Array(count),
  };
}

/** Columns with points, in their order, each with the points up to `end` behind the ones before. */
interface Layout {
  x: Float64Array;
  column: Int32Array;
  end: Int32Array;
  length: number;
  /** The place of a column among these. */
  runOf: Int32Array;
}

/** Lines of one sweep mostly have the same places, so those of the last one are kept. */
function layoutOf(x: ArrayLike<number>, raster: Raster, room: Room): Layout {
  const known = room.layout;
  if (known !== undefined && isSame(known.x, x)) return known;
  const places = Float64Array.from(x);
  const column = new Int32Array(places.length);
  const end = new Int32Array(places.length);
  const runOf = new Int32Array(raster.columns);
  let length = 0;
  for (let at = 0; at < places.length; at++) {
    const each = columnOf(raster, places[at]);
    if (length === 0 || each !== column[length - 1]) {
      runOf[each] = length;
      column[length++] = each;
    }
    end[length - 1] = at + 1;
  }
  return (room.layout = { x: places, column, end, length, runOf });
}

function isSame(one: Float64Array, other: ArrayLike<number>): boolean {
  const { length } = one;
  if (length !== other.length) return false;
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** Columns of unreduced points: known where they are. */
function pointsIn(
  { exact, before, after }: OverviewLine,
  raster: Raster,
  room: Room,
): FilledColumns {
  const { columns } = room;
  const { x = [], value = [] } = exact ?? {};
  const layout = layoutOf(x, raster, room);
  if (room.filled !== layout) fillPlaces(layout, room);
  if (layout.length < raster.columns) columns.value.fill(NaN);
  fillValues(layout, value, columns);
  const placeAt = (point: number) => placed({ x: x[point], value: value[point] }, raster)!;
  const runOf = (column: number) => layout.runOf[column];
  return {
    columns,
    firstIn: (column) => placeAt(runOf(column) === 0 ? 0 : layout.end[runOf(column) - 1]),
    lastIn: (column) => placeAt(layout.end[runOf(column)] - 1),
    before: placed(before, raster),
    after: placed(after, raster),
  };
}

function fillPlaces(layout: Layout, room: Room): void {
  const { recorded, place } = room.columns;
  const { x, column, end, length } = layout;
  recorded.fill(0);
  for (let run = 0, at = 0; run < length; at = end[run++]) {
    recorded[column[run]] = 1;
    place[column[run]] = x[at] === x[end[run] - 1] ? x[at] : NaN;
  }
  room.filled = layout;
}

function fillValues(layout: Layout, values: ArrayLike<number>, columns: MemberColumns): void {
  const { column: columnOfRun, end: endOfRun, length } = layout;
  const { value, min: least, max: largest } = columns;
  for (let run = 0, at = 0; run < length; run++) {
    const column = columnOfRun[run];
    const end = endOfRun[run];
    let min = values[at];
    let max = min;
    let sum = min;
    for (let next = at + 1; next < end; next++) {
      const each = values[next];
      if (each < min) min = each;
      if (each > max) max = each;
      sum += each;
    }
    least[column] = min;
    largest[column] = max;
    value[column] = Math.min(max, Math.max(min, sum / (end - at)));
    // By itself, so that the usual mean is not boxed.
    if (Math.abs(sum) > Number.MAX_VALUE)
      value[column] = Math.min(max, Math.max(min, meanOfHuge(values, at, end)));
    at = end;
  }
}

/** Columns of many points: the first and the last point are drawn in the middle. */
function columnsIn(
  { reduced, before, after }: OverviewLine,
  raster: Raster,
  room: Room,
): FilledColumns {
  const { columns, at } = room;
  room.filled = undefined;
  columns.value.fill(NaN);
  columns.recorded.fill(0);
  columns.place.fill(NaN);
  const { column, first, last, min, max, mean } = reduced!;
  for (const [place, each] of column.entries()) {
    at[each] = place;
    columns.recorded[each] = 1;
    columns.value[each] = mean[place];
    columns.min[each] = min[place];
    columns.max[each] = max[place];
  }
  return {
    columns,
    firstIn: (each) => ({ column: each + 0.5, value: first[at[each]] }),
    lastIn: (each) => ({ column: each + 0.5, value: last[at[each]] }),
    before: placed(before, raster),
    after: placed(after, raster),
  };
}

/** The mean of values whose sum overflows. */
function meanOfHuge(values: ArrayLike<number>, start: number, end: number): number {
  let mean = 0;
  for (let at = start; at < end; at++) mean += values[at] / (end - start);
  return mean;
}

/** The place of a point; undefined where the axis has none: at 0 and below on a logarithmic one. */
function placed(point: OverviewLine["before"], raster: Raster): ValueAt | undefined {
  if (point === undefined) return undefined;
  const column = shareOf(raster, point.x) * raster.columns;
  return Number.isFinite(column) ? { column, value: point.value } : undefined;
}
