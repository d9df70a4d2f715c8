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
    align: true,
    ...(smooth === undefined ? {} : { smooth }),
    partitionsMax: Math.min(linesMax, Math.floor(limits.overviewColumnsTogetherMax / columns)),
  };
}

/** Where a browser gets every point of the same, in the range that is asked for. */
export function csvAddress({ series, xAxis, xSeriesName, start, end }: OverviewBody): string {
  const [{ experimentId, seriesName, filter }] = series;
  const query = new URLSearchParams({ experimentId, seriesName, xAxis });
  // The file takes one choice of partitions; it has those that others would leave out.
  const choice = filter?.[0];
  const more = { ...choice, xSeriesName, start, end };
  for (const [name, value] of Object.entries(more))
    if (value !== undefined) query.set(name, String(value));
  return `/api/views/v1/points.csv?${query.toString()}`;
}
