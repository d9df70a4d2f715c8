import { columnOf, shareOf, type Raster } from "@lossless/protocol/raster";
import type { Line } from "./paint.ts";

/** A line's values in the columns of an overview; NaN where it has none. */
export interface MemberColumns {
  /** The mean of its points in a column; where it has none there, its value in the middle of it. */
  value: Float64Array;
  /** Its least and its largest point there, or that value. */
  min: Float64Array;
  max: Float64Array;
}

/** Where a line is known, in columns: between two such places it is straight. */
interface Place {
  column: number;
  value: number;
}

/**
 * What a line has in each column. Between its points it has values, too, since it is drawn there;
 * beyond its first and its last point it has none.
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

/** Never beyond the two, whatever is rounded. */
function between(left: Place, right: Place, column: number): number {
  const share = (column - left.column) / (right.column - left.column);
  const value = left.value * (1 - share) + right.value * share;
  const [low, high] = [Math.min(left.value, right.value), Math.max(left.value, right.value)];
  return Math.min(high, Math.max(low, value));
}

interface Filled {
  columns: MemberColumns;
  firstIn: (column: number) => Place;
  lastIn: (column: number) => Place;
  before: Place | undefined;
  after: Place | undefined;
}

function emptyColumns({ columns }: Raster): MemberColumns {
  const none = () => new Float64Array(columns).fill(NaN);
  return { value: none(), min: none(), max: none() };
}

/** Points that came as they are: each is known where it stands. */
function pointsIn({ exact, before, after }: Line, raster: Raster): Filled {
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

/** Columns of many points: the first and the last of one are drawn in its middle. */
function columnsIn({ reduced, before, after }: Line, raster: Raster): Filled {
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

/** For values whose sum is beyond any double. */
function meanOfHuge(values: readonly number[]): number {
  return values.reduce((mean, value) => mean + value / values.length, 0);
}

/** Undefined where the axis has no such place: at and below 0 of a logarithmic one. */
function placed(point: Line["before"], raster: Raster): Place | undefined {
  if (point === undefined) return undefined;
  const column = shareOf(raster, point.x) * raster.columns;
  return Number.isFinite(column) ? { column, value: point.value } : undefined;
}
