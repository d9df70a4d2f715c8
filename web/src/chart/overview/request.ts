import type { OverviewBody } from "@lossless/client";
import type { ChartView, Choice } from "../view.ts";

/**
 * Lines at most: more cannot be told apart, and are slow; of several experiments none shall be
 * missing.
 */
const linesMax = { ofOne: 100, ofSeveral: 400 };

const axes = { step: "step", offset: "offset", elapsed: "elapsed", time: "timestamp" } as const;

/** The request for a chart of a series, of one experiment or of several. */
export function overviewRequest(
  experimentIds: readonly string[],
  seriesName: string,
  choices: readonly Choice[],
  view: ChartView,
  columns: number,
): OverviewBody {
  const filter = choices.map(({ key, value }) => ({ metadataKey: key, metadataValue: value }));
  const { x, range, smooth, group } = view;
  // A group needs all of its members.
  const isTold = experimentIds.length < 2 && group === undefined;
  return {
    series: experimentIds.map((experimentId) => ({ experimentId, seriesName, filter })),
    ...(x.kind === "metric" ? { xAxis: x.kind, xSeriesName: x.name } : { xAxis: axes[x.kind] }),
    ...(view.isLogX ? { xScale: "log" } : {}),
    ...range,
    columns,
    align: true,
    ...(smooth === undefined ? {} : { smooth }),
    partitionsMax: isTold ? linesMax.ofOne : linesMax.ofSeveral,
  };
}

/** The address of a file with every point of the same series and range. */
export function csvAddress({ series, xAxis, xSeriesName, start, end }: OverviewBody): string {
  const [{ seriesName, filter }] = series;
  const ids = series.map(({ experimentId }) => experimentId).join(",");
  const whose = series.length === 1 ? { experimentId: ids } : { experimentIds: ids };
  const query = new URLSearchParams({ ...whose, seriesName, xAxis });
  const choices = filter?.length ? { filter: JSON.stringify(filter) } : {};
  const more = { ...choices, xSeriesName, start, end };
  for (const [name, value] of Object.entries(more))
    if (value !== undefined) query.set(name, String(value));
  return `/api/views/v1/points.csv?${query.toString()}`;
}
