import type { OverviewReply } from "@lossless/client";
import { countedText, countText, digitsText, valueText } from "../parts/words.ts";
import { placeOfColumn } from "./axes/axis-x.ts";
import { countBelow, countOutside, heightsOf } from "./axes/axis-y.ts";
import { cutText, type Cut } from "./cut.ts";
import type { Band, ChartView } from "./view.ts";
import type { Partition } from "./lines/line.ts";
import { repeatedText } from "./lines/repeated-steps.ts";

/**
 * Describes what is drawn, and everything that is not. `ungrouped` is why lines are not in groups.
 */
export function captionOf(
  overview: OverviewReply,
  view: ChartView,
  cut?: Cut,
  ungrouped?: string,
): string {
  const { points, series, partitions } = overview;
  if (points === 0 && series.length === 0) return "no points match";
  const parts = [pointsText(points, cut)];
  if (ungrouped !== undefined) parts.push(ungrouped);
  const unplaced = series.reduce((sum, one) => sum + (one.unplaced ?? 0), 0);
  if (unplaced > 0) parts.push(`${countedText(unplaced, "more point")} not on this axis`);
  parts.push(...unpairedTexts(series));
  const lines: readonly Partition[] = series;
  if (
    overview.xAxis === "metric" &&
    lines.some((line) => line.lastNonfinite ?? line.mayEndNonfinite)
  )
    parts.push("values that are not finite have no place on this axis");
  const drawn = (series as readonly Partition[]).reduce(
    (sum, { group }) => sum + (group?.members.length ?? 1),
    0,
  );
  if (partitions > drawn)
    parts.push(
      `only the first ${countText(drawn)} of ${countText(partitions)} partitions are drawn; choose others above`,
    );
  parts.push(
    ...[
      repeatedText(overview, (column) => placeOfColumn(overview, column)),
      smoothText(overview, view),
    ].flatMap((text) => text ?? []),
  );
  const groups = (series as readonly Partition[]).filter(({ group }) => group !== undefined);
  if (groups.length > 0 && view.group !== undefined) parts.push(bandTexts[view.band]);
  const heights = heightsOf(overview, view);
  const below = view.y === "log" ? countBelow(series) : 0;
  if (below > 0) parts.push(`${placesText(below)} at or below 0`);
  const outside = countOutside(series, heights) - (view.y === "log" ? below : 0);
  if (outside > 0) parts.push(`${placesText(outside)} beyond the edges`);
  if (view.y === "symlog") parts.push(`linear within ±${valueText(heights.threshold)}`);
  return parts.join(", ");
}

const bandTexts: Record<Band, string> = {
  minmax: "lines are means; bands reach from the lowest to the highest point of all members",
  std: "lines are means; bands are a standard deviation of the members' values to either side",
  sem: "lines are means; bands are a standard error of the members' values to either side",
};

/** Steps of combined series that have no point, and why. */
function unpairedTexts(series: OverviewReply["series"]): string[] {
  const combined = series.flatMap((line) => line.combined ?? []);
  const unpaired = combined.reduce((sum, line) => sum + line.unpaired, 0);
  const nonfinite = combined.reduce((sum, line) => sum + line.nonfinite, 0);
  return [
    ...(unpaired > 0 ? [`no value at ${countedText(unpaired, "step")} that only one has`] : []),
    ...(nonfinite > 0
      ? [`none at ${countedText(nonfinite, "step")} where the result is not finite`]
      : []),
  ];
}

/** Where the window is counted in points, it is a larger part of a sparse line. */
function smoothText({ series }: OverviewReply, { smooth }: ChartView): string | undefined {
  if (smooth === undefined) return undefined;
  const all: readonly Partition[] = series;
  const lines: Partition[] = all.flatMap((line) => line.group?.members ?? [line]);
  const fewest = Math.min(...lines.flatMap(({ points }) => (points > 0 ? points : [])));
  const reach = smooth.kind === "gauss" ? 3 * smooth.points : Math.round(1 / (1 - smooth.weight));
  // A weight by distance is that of a thousandth of the axis.
  const percent = digitsText(reach / 10, 2);
  const where = {
    x: `about the last ${percent} % of the axis`,
    ema: `about the last ${countText(reach)} points`,
    gauss: `${countText(reach)} points on either side`,
  }[smooth.kind];
  const of = series.length > 1 ? "each line is smoothed by itself," : "smoothed";
  const isSparse = smooth.kind !== "x" && fewest < 3 * reach;
  const isRepeated = lines.some(({ earlier, repeated }) => earlier ?? repeated);
  const passes = isRepeated ? ", earlier values included" : "";
  return `${of} over ${where}${passes}${isSparse ? ` (a line here has ${countText(fewest)})` : ""}`;
}

function pointsText(points: number, cut: Cut | undefined): string {
  if (points === 0) return "no points in this range";
  if (cut !== undefined) return `${countedText(points, "point")} ${cutText(cut)}`;
  return points === 1 ? "1 point" : `${countText(points)} points, not sampled`;
}

/** Counts columns as places: how many of their points are meant is unknown. */
function placesText(count: number): string {
  return countedText(count, "place");
}
