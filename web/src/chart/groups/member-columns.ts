import { columnOf, shareOf, type Raster } from "@lossless/protocol/raster";
import type { Line } from "../lines/line.ts";

/** A line's values in the columns of an overview; NaN where it has none. */
export interface MemberColumns {
  /** The mean of its points in a column; without points, its interpolated value in the middle. */
  value: Float64Array;
  /** Its least and its largest point there, or the interpolated value. */
  min: Float64Array;
  max: Float64Array;
}

/** A known value of a line, in columns: between two of them it is straight. */
interface ValueAt {
  column: number;
  value: number;
}

/**
 * The values of a line in each column. Between its points they are interpolated, as the line is
 * drawn there; before the first and after the last point there are none.
 */
export function memberColumns(line: Line, raster: Raster): MemberColumns {
  const filled = line.reduced === undefined ? pointsIn(line, raster) : columnsIn(line, raster);
  const { columns, before, after } = filled;
  const { value, min, max } = columns;
  let left = before;
  let column = 0;
  while (column < raster.columns) {
    if (!Number.isNaN(value[column])) {
      left = filled.lastIn(column);
      column++;
      continue;
    }
    let next = column;
    while (next < raster.columns && Number.isNaN(value[next])) next++;
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

function emptyColumns({ columns }: Raster): MemberColumns {
  const none = () => new Float64Array(columns).fill(NaN);
  return { value: none(), min: none(), max: none() };
}

/** Columns of unreduced points: known where they are. */
function pointsIn({ exact, before, after }: Line, raster: Raster): FilledColumns {
  const columns = emptyColumns(raster);
  const first = new Int32Array(raster.columns);
  const last = new Int32Array(raster.columns);
  const { x = [], value = [] } = exact ?? {};
  let at = 0;
  while (at < x.length) {
    const column = columnOf(raster, x[at]);
    let end = at;
    let [min, max, sum] = [value[at], value[at], 0];
    while (end < x.length && columnOf(raster, x[end]) === column) {
      min = Math.min(min, value[end]);
      max = Math.max(max, value[end]);
      sum += value[end++];
    }
    [first[column], last[column]] = [at, end - 1];
    [columns.min[column], columns.max[column]] = [min, max];
    const mean = Number.isFinite(sum) ? sum / (end - at) : meanOfHuge(value.slice(at, end));
    columns.value[column] = Math.min(max, Math.max(min, mean));
    at = end;
  }
  const placeAt = (point: number) => placed({ x: x[point], value: value[point] }, raster)!;
  return {
    columns,
    firstIn: (column) => placeAt(first[column]),
    lastIn: (column) => placeAt(last[column]),
    before: placed(before, raster),
    after: placed(after, raster),
  };
}

/** Columns of many points: the first and the last point are drawn in the middle. */
function columnsIn({ reduced, before, after }: Line, raster: Raster): FilledColumns {
  const columns = emptyColumns(raster);
  const at = new Int32Array(raster.columns);
  const { column, first, last, min, max, mean } = reduced!;
  for (const [place, each] of column.entries()) {
    at[each] = place;
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
function meanOfHuge(values: readonly number[]): number {
  return values.reduce((mean, value) => mean + value / values.length, 0);
}

/** The place of a point; undefined where the axis has none: at 0 and below on a logarithmic one. */
function placed(point: Line["before"], raster: Raster): ValueAt | undefined {
  if (point === undefined) return undefined;
  const column = shareOf(raster, point.x) * raster.columns;
  return Number.isFinite(column) ? { column, value: point.value } : undefined;
}
