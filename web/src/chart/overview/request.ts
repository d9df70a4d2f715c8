import type { OverviewBody } from "@lossless/client";
import type { SeriesOperator } from "@lossless/protocol";
import type { ChartView, Choice } from "../view.ts";

/**
 * Lines at most: more cannot be told apart, and are slow; of several experiments none shall be
 * missing.
 */
const linesMax = { ofOne: 100, ofSeveral: 400 };

const axes = { step: "step", offset: "offset", elapsed: "elapsed", time: "timestamp" } as const;

/**
 * The request for a chart of one series or several, of one experiment or of several. With an
 * operator the first of two series is combined with the second.
 */
export function overviewRequest(
  experimentIds: readonly string[],
  seriesNames: readonly string[],
  choices: readonly Choice[],
  view: ChartView,
  columns: number,
  operator?: SeriesOperator,
): OverviewBody {
  const filter = choices.map(({ key, value }) => ({ metadataKey: key, metadataValue: value }));
  const { x, range, smooth, group } = view;
  // A group needs all of its members.
  const [first, second] = seriesNames;
  const isCombined = operator !== undefined && seriesNames.length === 2;
  const combined = isCombined ? { combined: { operator, seriesName: second } } : {};
  const lines = isCombined ? [first] : seriesNames;
  const isTold = experimentIds.length < 2 && lines.length < 2 && group === undefined;
  return {
    series: lines.flatMap((seriesName) =>
      experimentIds.map((experimentId) => ({ experimentId, seriesName, ...combined, filter })),
    ),
    ...(x.kind === "metric" ? { xAxis: x.kind, xSeriesName: x.name } : { xAxis: axes[x.kind] }),
    ...(view.isLogX ? { xScale: "log" } : {}),
    ...range,
    columns,
    align: true,
    ...(smooth === undefined ? {} : { smooth }),
    partitionsMax: isTold ? linesMax.ofOne : linesMax.ofSeveral,
  };
}

/** A file with every point of a series in a chart. */
export interface PointsFile {
  names: string[];
  operator: SeriesOperator | undefined;
  address: string;
}

/** The files with every point of the same series and range, one for each name. */
export function pointsFiles({ series, ...axis }: OverviewBody): PointsFile[] {
  const { xAxis, xSeriesName, start, end } = axis;
  return [...Map.groupBy(series, ({ seriesName }) => seriesName)].map(([seriesName, of]) => {
    const ids = of.map(({ experimentId }) => experimentId).join(",");
    const whose = of.length === 1 ? { experimentId: ids } : { experimentIds: ids };
    const query = new URLSearchParams({ ...whose, seriesName, xAxis });
    const [{ filter, combined }] = of;
    const choices = filter?.length ? { filter: JSON.stringify(filter) } : {};
    const other = combined && { operator: combined.operator, otherSeriesName: combined.seriesName };
    const more = { ...other, ...choices, xSeriesName, start, end };
    const names = [seriesName, ...(combined ? [combined.seriesName] : [])];
    for (const [name, value] of Object.entries(more))
      if (value !== undefined) query.set(name, String(value));
    return {
      names,
      operator: combined?.operator,
      address: `/api/views/v1/points.csv?${query.toString()}`,
    };
  });
}

/**
 * The address of a file with every point of the same series, whatever the range; of combined ones
 * it has both.
 */
export function parquetAddress({ series }: OverviewBody): string {
  const [{ filter }] = series;
  const ids = new Set(series.map(({ experimentId }) => experimentId));
  const names = new Set(
    series.flatMap(({ seriesName, combined }) => [
      seriesName,
      ...(combined ? [combined.seriesName] : []),
    ]),
  );
  const query = new URLSearchParams({
    experimentIds: [...ids].join(","),
    seriesNames: JSON.stringify([...names]),
    ...(filter?.length ? { filter: JSON.stringify(filter) } : {}),
  });
  return `/api/views/v1/points.parquet?${query.toString()}`;
}
