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
  const parts: OverviewReply[] = [];
  for (let from = 0; from < lines; from += most) {
    const part = { partitionsFrom: from, partitionsMax: Math.min(most, lines - from) };
    // Otherwise each part would align the range by itself.
    parts.push(await ask({ ...request, ...part, start, end, align: false }));
  }
  const series = parts.flatMap((part) => part.series).map((line, at) => placed(line, extent, at));
  const points = parts.reduce((sum, part) => sum + part.points, 0);
  return { ...parts[0], series, points };
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
