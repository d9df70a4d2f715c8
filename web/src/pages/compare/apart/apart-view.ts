import { metricOrderIn, metricOrderText, type MetricOrder } from "../difference/metric-view.ts";

/** Ways to split the compared experiments in two. */
export const apartWays = ["best", "first", "marked", "all"] as const;
export type ApartWay = (typeof apartWays)[number];

/** The sides of a comparison, all in the address except the marks, which the page knows. */
export interface ApartView {
  /** Undefined: nothing is read. */
  way: ApartWay | undefined;
  /** Number of the best, or of the first ones; undefined: the default. */
  count: number | undefined;
  /** The metric that decides which are best; undefined: the default. */
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

/** The best against the rest, where no way was chosen. Undefined: it is open. */
export function openingApart(parameter: Parameter) {
  const view = readApartView(parameter);
  return view.way === undefined ? apartParameters({ ...view, way: "best" }) : undefined;
}

export function apartParameters({ way, count, rank }: ApartView) {
  return {
    apart: way ?? "",
    count: count?.toString() ?? "",
    rank: rank === undefined ? "" : metricOrderText(rank),
  };
}
