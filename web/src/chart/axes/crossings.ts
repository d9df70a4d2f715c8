import type { OverviewReply } from "@lossless/client";
import { columnAround } from "@lossless/protocol/raster";
import { axisRange, placeOf } from "./axis-x.ts";
import type { Line } from "../lines/line.ts";

/** The transformation of values by an axis, and its inverse. */
export interface YTransform {
  bent: (value: number) => number;
  straight: (height: number) => number;
}

/** From 0 at the left edge of the plot to 1 at its right one, or beyond. */
interface ValueAt {
  at: number;
  value: number;
}

/** The values at which a line crosses the edges of the plot, on its way to points outside. */
export function crossingsOf(line: Line, overview: OverviewReply, bend: YTransform): number[] {
  const { before, first, last, after } = placesOf(line, overview);
  return [
    ...crossing(0, before, first ?? after, bend),
    ...crossing(1, last ?? before, after, bend),
  ];
}

function crossing(
  edge: number,
  one: ValueAt | undefined,
  other: ValueAt | undefined,
  bend: YTransform,
) {
  if (one === undefined || other === undefined || one.at > edge || other.at < edge) return [];
  if (one.at === other.at) return [];
  const share = (edge - one.at) / (other.at - one.at);
  const [from, to] = [bend.bent(one.value), bend.bent(other.value)];
  const value = bend.straight(from + share * (to - from));
  return Number.isFinite(value) ? [value] : [];
}

/** Where its outermost points are painted; columns are in their middle. */
function placesOf({ exact, reduced, before, after }: Line, overview: OverviewReply) {
  const range = axisRange(overview);
  const middle = (column: number) => (column + 0.5) / overview.columns;
  const atX = (x: number) =>
    reduced === undefined ? placeOf(range, overview.xScale, x) : middle(columnAround(overview, x));
  const outer = (point: Line["before"]) => point && { at: atX(point.x), value: point.value };
  const inner = (end: 0 | -1): ValueAt | undefined => {
    if (reduced !== undefined) {
      const value = (end === 0 ? reduced.first : reduced.last).at(end)!;
      return { at: middle(reduced.column.at(end)!), value };
    }
    const x = exact?.x.at(end);
    return x === undefined ? undefined : { at: atX(x), value: exact!.value.at(end)! };
  };
  return { before: outer(before), first: inner(0), last: inner(-1), after: outer(after) };
}
