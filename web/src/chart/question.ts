import type { OverviewBody } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import type { ChartView, Choice } from "./view.ts";

/** More lines cannot be told apart, and take long. */
const linesMax = 100;

const axes = { step: "step", offset: "offset", elapsed: "elapsed", time: "timestamp" } as const;

/** What the service is asked for a chart of one series. */
export function questionOf(
  experimentId: string,
  seriesName: string,
  choices: readonly Choice[],
  view: ChartView,
  columns: number,
): OverviewBody {
  const filter = choices.map(({ key, value }) => ({ metadataKey: key, metadataValue: value }));
  const { x, range, smooth } = view;
  return {
    series: [{ experimentId, seriesName, filter }],
    ...(x.kind === "metric" ? { xAxis: x.kind, xSeriesName: x.name } : { xAxis: axes[x.kind] }),
    ...(view.isLogX ? { xScale: "log" } : {}),
    ...range,
    columns,
    ...(smooth === undefined ? {} : { smooth }),
    partitionsMax: Math.min(linesMax, Math.floor(limits.overviewColumnsTogetherMax / columns)),
  };
}
