import { setImmediate } from "node:timers/promises";
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
          places === undefined ? [[{ start, end }]] : await nearestRanges(line, new Set(places));
        return firstPoints(line, ranges, pointsMax);
      });
      await text.add(
        `${at === 0 ? "" : ","}${laid.print(JSON.stringify(given ?? columnsOf([], pointsMax)))}`,
      );
    }
    await text.add("]}");
  };
}

/**
 * Returns the ranges around each x nearest to one of some places, in the order of the axis: the
 * ranges of one stretch, which is read once for all places in it, are in one list.
 */
async function nearestRanges(line: Line, places: ReadonlySet<number>): Promise<Range[][]> {
  const stretches: { extent: Extent; places: number[] }[] = [];
  for (const place of Float64Array.from(places).sort()) {
    const extent = line.around(place);
    const last = stretches.at(-1);
    if (last === undefined || extent.start >= last.extent.end) {
      stretches.push({ extent, places: [place] });
      continue;
    }
    last.extent.end = Math.max(last.extent.end, extent.end);
    last.places.push(place);
  }
  const ranges: Range[][] = [];
  let left: number = limits.overviewPointsMax;
  for (const { extent, places: wanted } of stretches) {
    left -= line.count(extent);
    if (left < 0) {
      throw new ServiceError(
        "bad_request",
        "Too many points overlap around these places. Ask for a range instead.",
      );
    }
    const found = await nearestPlaces(line, extent, wanted);
    ranges.push(found.map((x) => ({ start: x, end: behind(x) })));
  }
  return ranges;
}

/** Returns the x nearest to each place, of two equally near the lower one; each once, ascending. */
async function nearestPlaces(
  line: Line,
  extent: Extent,
  places: readonly number[],
): Promise<number[]> {
  const below = places.map(() => -Infinity);
  const above = places.map(() => Infinity);
  for await (const { x } of line.blocks(extent)) {
    for (const [place, wanted] of places.entries()) {
      const at = firstNotBelow(x, wanted);
      if (at > 0) below[place] = Math.max(below[place], x[at - 1]);
      if (at < x.length) above[place] = Math.min(above[place], x[at]);
    }
    await setImmediate();
  }
  const nearest = places.map((wanted, place) =>
    wanted - below[place] <= above[place] - wanted ? below[place] : above[place],
  );
  return [...new Set(nearest)].filter(Number.isFinite).sort((one, other) => one - other);
}

/** Returns the first points of each list of ranges, which are read together. */
async function firstPoints(
  line: Line,
  stretches: readonly (readonly Range[])[],
  most: number,
): Promise<object> {
  const parts: PlacedPoints[] = [];
  let count = 0;
  for (const ranges of stretches) {
    const [start, end] = [ranges[0]?.start ?? Infinity, ranges.at(-1)?.end ?? -Infinity];
    if (count > most || start >= end) continue;
    for await (const block of line.blocks({ start, end, before: 0, after: 0 })) {
      for (const range of ranges) {
        const from = firstNotBelow(block.x, range.start);
        const to = firstNotBelow(block.x, range.end);
        if (from < to) parts.push(sliceOf(block, from, to));
        count += to - from;
      }
      if (count > most) break;
      await setImmediate();
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
