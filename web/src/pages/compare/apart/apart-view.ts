import { metricOrderIn, metricOrderText, type MetricOrder } from "../difference/metric-view.ts";

/** How the compared experiments are parted in two. */
export const apartWays = ["best", "first", "marked", "all"] as const;
export type ApartWay = (typeof apartWays)[number];

/** Who is held against whom, all of it in the address but the marks, which the page knows. */
export interface ApartView {
  /** Undefined: nothing is read. */
  way: ApartWay | undefined;
  /** How many are the best, or the first ones; undefined: nobody chose. */
  count: number | undefined;
  /** By what they are the best; undefined: nobody chose. */
  rank: MetricOrder | undefined;
}

type Parameter = (name: string) => string | undefined;

export function readApartView(parameter: Parameter): ApartView {
  const count = Number(parameter("count"));
  return {
    way: apartWays.find((way) => way === parameter("apart")),
    count: Number.isSafeInteger(count) && count > 0 ? count : undefined,
    rank: metricOrderIn(parameter("rank")),
  };
}

export function apartParameters({ way, count, rank }: ApartView) {
  return {
    apart: way ?? "",
    count: count?.toString() ?? "",
    rank: rank === undefined ? "" : metricOrderText(rank),
  };
}
