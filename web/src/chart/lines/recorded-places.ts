import { columnOf, type Raster } from "@lossless/protocol/raster";

/** The known points of a member. */
interface MemberPoints {
  exact?: { x: readonly number[] };
  reduced?: { column: readonly number[] };
  before?: { x: number };
  after?: { x: number };
}

/**
 * A column in which members of a group have points of their own; elsewhere their values are
 * interpolated.
 */
export interface RecordedPlace {
  column: number;
  /** Members with a point in the column. */
  members: number;
  /** The place of all these points; undefined: there are several in the column. */
  x: number | undefined;
}

/** The recorded places, from left to right. */
export function recordedPlaces(lines: readonly MemberPoints[], raster: Raster): RecordedPlace[] {
  const places = new Map<number, RecordedPlace>();
  const take = (column: number, x: number | undefined, isFirst: boolean) => {
    const known = places.get(column);
    if (known === undefined) return void places.set(column, { column, members: 1, x });
    if (isFirst) known.members++;
    if (known.x !== x) known.x = undefined;
  };
  for (const { exact, reduced } of lines) {
    let before: number | undefined;
    for (const x of exact?.x ?? []) {
      const column = columnOf(raster, x);
      take(column, x, column !== before);
      before = column;
    }
    for (const column of reduced?.column ?? []) take(column, undefined, true);
  }
  return [...places.values()].sort((one, other) => one.column - other.column);
}

/** The recorded places on either side of a range that has none. */
export function placesAround(lines: readonly MemberPoints[]): { before?: number; after?: number } {
  const befores = lines.flatMap(({ before }) => before?.x ?? []);
  const afters = lines.flatMap(({ after }) => after?.x ?? []);
  return {
    ...(befores.length > 0 && { before: Math.max(...befores) }),
    ...(afters.length > 0 && { after: Math.min(...afters) }),
  };
}
