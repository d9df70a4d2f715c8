import { limits } from "@lossless/protocol/limits";
import type { ViewPointsBody } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { layLines } from "./laid-line.ts";
import { firstNotBelow, sliceOf, type Extent, type Line, type PlacedPoints } from "./line.ts";
import { behind, endAboveStart, type Range } from "./range.ts";
import { selectPartitions, type ViewContext } from "./selected-partitions.ts";

export interface ReadPoints {
  organizationId: string;
  body: ViewPointsBody;
}

/** `views/points`. An unknown or foreign experiment has no series, as in `query.series`. */
export async function readPoints(
  reader: Reader,
  { organizationId, body }: ReadPoints,
  text: ReplyText,
  context: ViewContext,
): Promise<() => Promise<void>> {
  const { xAxis, xSeriesName, nearest, start = -Infinity, end = Infinity, pointsMax } = body;
  const places = body.places ?? (nearest === undefined ? undefined : [nearest]);
  const isRange = body.start !== undefined || body.end !== undefined;
  if ([body.places !== undefined, nearest !== undefined, isRange].filter(Boolean).length > 1) {
    throw new ServiceError(
      "bad_request",
      "Give `nearest`, or `places`, or `start` and `end`, not several of these.",
    );
  }
  if (start >= end) throw new ServiceError("bad_request", endAboveStart);
  const most = Math.max(pointsMax, places?.length ?? 0);
  const linesMax = Math.floor(limits.viewPointsTogetherMax / most);
  const selection = { ...body, organizationId, linesMax };
  const { partitions, matching } = await selectPartitions(reader, selection, context);
  return async () => {
    const lines = await layLines(partitions, xAxis, context.damage);
    const opening = JSON.stringify({ xAxis, xSeriesName, partitions: matching });
    await text.add(`${opening.slice(0, -1)},"series":[`);
    for (const [at, laid] of lines.entries()) {
      const given = await laid.unlessDamaged(async (line) => {
        const ranges =
          places === undefined ? [{ start, end }] : await nearestRanges(line, new Set(places));
        return firstPoints(line, ranges, pointsMax);
      });
      await text.add(
        `${at === 0 ? "" : ","}${laid.print(JSON.stringify(given ?? columnsOf([], pointsMax)))}`,
      );
    }
    await text.add("]}");
  };
}

/** Around each x that is the nearest to one of some places, in the order of the axis. */
async function nearestRanges(line: Line, places: ReadonlySet<number>): Promise<Range[]> {
  const found = new Set<number>();
  let left: number = limits.overviewPointsMax;
  for (const place of places) {
    const extent = line.around(place);
    left -= line.count(extent);
    if (left < 0) {
      throw new ServiceError(
        "bad_request",
        "Too many points overlap around these places. Ask for a range instead.",
      );
    }
    const x = await nearestPlace(line, extent, place);
    if (x !== undefined) found.add(x);
  }
  return [...found].sort((one, other) => one - other).map((x) => ({ start: x, end: behind(x) }));
}

/** The x nearest to a place, of two as near the lower one; undefined without points. */
async function nearestPlace(
  line: Line,
  extent: Extent,
  wanted: number,
): Promise<number | undefined> {
  let below = -Infinity;
  let above = Infinity;
  for await (const { x } of line.blocks(extent)) {
    const at = firstNotBelow(x, wanted);
    if (at > 0) below = Math.max(below, x[at - 1]);
    if (at < x.length) above = Math.min(above, x[at]);
  }
  if (below === -Infinity && above === Infinity) return undefined;
  return wanted - below <= above - wanted ? below : above;
}

async function firstPoints(line: Line, ranges: readonly Range[], most: number): Promise<object> {
  const parts: PlacedPoints[] = [];
  let count = 0;
  for (const range of ranges) {
    if (count > most) break;
    for await (const block of line.blocks({ ...range, before: 0, after: 0 })) {
      const start = firstNotBelow(block.x, range.start);
      const end = firstNotBelow(block.x, range.end);
      parts.push(sliceOf(block, start, end));
      count += end - start;
      if (count > most) break;
    }
  }
  return columnsOf(parts, most);
}

function columnsOf(parts: readonly PlacedPoints[], most: number): object {
  const first = (column: (part: PlacedPoints) => Float64Array) =>
    parts.flatMap((part) => Array.from(column(part).subarray(0, most))).slice(0, most);
  const count = parts.reduce((sum, { x }) => sum + x.length, 0);
  return {
    x: first(({ x }) => x),
    step: first(({ step }) => step),
    timestampMs: first(({ timestamp }) => timestamp),
    value: first(({ value }) => value),
    isWhole: count <= most,
  };
}
