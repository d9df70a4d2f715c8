import type { OverviewBody, OverviewReply } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";

type ReadOverview = (body: OverviewBody) => Promise<OverviewReply>;

/**
 * Reads an overview with more lines than one reply holds, in several parts with the same columns
 * over their common range.
 */
export async function readInParts(
  ask: ReadOverview,
  request: OverviewBody,
): Promise<OverviewReply> {
  const { columns, partitionsMax = limits.overviewColumnsTogetherMax } = request;
  const most = Math.floor(limits.overviewColumnsTogetherMax / columns);
  const first = await ask({ ...request, partitionsMax: Math.min(most, partitionsMax) });
  const lines = Math.min(partitionsMax, first.partitions);
  if (first.series.length >= lines) return first;
  const extent = await ask({ ...rough(request), partitionsMax: lines });
  const { start, end } = extent;
  const smooth = await smoothOfAll(ask, request, lines);
  const parts: OverviewReply[] = [];
  for (let from = 0; from < lines; from += most) {
    const part = { partitionsFrom: from, partitionsMax: Math.min(most, lines - from) };
    // Otherwise each part would align the range by itself.
    parts.push(await ask({ ...request, ...part, ...smooth, start, end, align: false }));
  }
  const series = parts.flatMap((part) => part.series).map((line, at) => placed(line, extent, at));
  const points = parts.reduce((sum, part) => sum + part.points, 0);
  return { ...parts[0], series, points };
}

/**
 * The smoothing with the unit that all lines have together: each part would take that of its own.
 */
async function smoothOfAll(
  ask: ReadOverview,
  { smooth, ...request }: OverviewBody,
  lines: number,
): Promise<Pick<OverviewBody, "smooth">> {
  if (smooth?.kind !== "x" || smooth.unit !== undefined)
    return smooth === undefined ? {} : { smooth };
  const { start: _, end: __, ...whole } = request;
  return {
    smooth: { ...smooth, unit: unitOver(await ask({ ...rough(whole), partitionsMax: lines })) },
  };
}

/** The service's usual unit: a thousandth of the distance from the first to the last point. */
function unitOver({ xAxis, xScale, start, end }: OverviewReply): number {
  const last = xAxis === "metric" ? end : end - 1;
  if (!(start < last)) return 1;
  const bent = (x: number) => (xScale === "log" ? Math.log(x) : x);
  return Math.max((bent(last) - bent(start)) / 1_000, limits.smoothUnitMin);
}

/** The request without smoothing, as only the range is needed. */
function rough(request: OverviewBody): OverviewBody {
  const { smooth: _, ...rest } = request;
  return { ...rest, columns: 1, align: false };
}

/**
 * Adds the number of points without a place on a logarithmic axis, known only from the read without
 * a range.
 */
function placed(line: OverviewReply["series"][number], extent: OverviewReply, at: number) {
  const unplaced = extent.series[at]?.unplaced;
  return unplaced === undefined ? line : { ...line, unplaced };
}
