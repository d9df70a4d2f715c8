import type { OverviewReply } from "@lossless/client";
import { placeOfColumn } from "../axes/axis-x.ts";
import { nameAlone, type LineLook } from "../lines/looks.ts";
import type { Partition } from "../lines/line.ts";
import type { Band } from "../view.ts";

/** The lines of groups as drawn, one row for each column; none without groups. */
export function groupRows(
  overview: OverviewReply | undefined,
  looks: readonly LineLook[],
  { band }: { band: Band },
): (string | number)[][] {
  const series: readonly Partition[] = overview?.series ?? [];
  if (overview === undefined || series.every(({ group }) => group === undefined)) return [];
  const axis = overview.xAxis === "metric" ? overview.xSeriesName! : overview.xAxis;
  const [low, high] = band === "minmax" ? ["min", "max"] : [`mean-${band}`, `mean+${band}`];
  const rows: (string | number)[][] = [["group", axis, "mean", low, high, "members", "recorded"]];
  for (const [line, { group, reduced }] of series.entries()) {
    const recorded = new Map(group?.recorded.map((place) => [place.column, place]));
    for (const [at, column] of reduced?.column.entries() ?? []) {
      if (group === undefined) continue;
      const { mean, min, max } = reduced!;
      const own = recorded.get(column);
      const place = own?.x ?? placeOfColumn(overview, column);
      const counts = [group.count[at], own?.members ?? 0];
      rows.push([nameAlone(looks[line]), place, mean[at], min[at], max[at], ...counts]);
    }
  }
  return rows;
}
