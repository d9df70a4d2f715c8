import type { OverviewReply } from "@lossless/client";
import { countText } from "../parts/words.ts";

/** Set when only the first experiments found are here. */
export interface Cut {
  shown: number;
  of: number;
}

/** `of the first 100 of 210 experiments`: shown beside numbers computed from these alone. */
export function cutText({ shown, of }: Cut): string {
  return `of the first ${countText(shown)} of ${countText(of)} experiments`;
}

type LineCounts = Pick<OverviewReply, "partitions"> & { series: readonly unknown[] };

/** Why lines are not grouped: a mean of only some members would be mistaken for the group's. */
export function ungroupedText(
  { partitions, series }: LineCounts,
  cut: Cut | undefined,
): string | undefined {
  if (cut !== undefined) {
    const { shown, of } = cut;
    return `not grouped: only ${countText(shown)} of ${countText(of)} experiments are shown, and means would leave out the others (narrow the query to ${countText(shown)} or fewer)`;
  }
  if (partitions <= series.length) return undefined;
  return `not grouped: only ${countText(series.length)} of ${countText(partitions)} lines are shown, and means would leave out the others (choose fewer above)`;
}
