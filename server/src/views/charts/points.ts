import { limits } from "@lossless/protocol/limits";
import type { ViewPointsBody } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { layLines } from "./laid-line.ts";
import { firstNotBelow, sliceOf, type Extent, type Line, type PlacedPoints } from "./line.ts";
import { behind, endAboveStart } from "./range.ts";
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
  if (nearest !== undefined && (body.start !== undefined || body.end !== undefined)) {
    throw new ServiceError("bad_request", "Give `nearest`, or `start` and `end`, not both.");
  }
  if (start >= end) throw new ServiceError("bad_request", endAboveStart);
  const linesMax = Math.floor(limits.viewPointsTogetherMax / pointsMax);
  const selection = { ...body, organizationId, linesMax };
  const { partitions, matching } = await selectPartitions(reader, selection, context);
  return async () => {
    const lines = await layLines(partitions, xAxis, context.damage);
    const opening = JSON.stringify({ xAxis, xSeriesName, partitions: matching });
    await text.add(`${opening.slice(0, -1)},"series":[`);
    for (const [at, laid] of lines.entries()) {
      const given = await laid.unlessDamaged(async (line) => {
        const place = nearest === undefined ? undefined : await nearestPlace(line, nearest);
        const range = place === undefined ? { start, end } : { start: place, end: behind(place) };
        return firstPoints(line, { ...range, before: 0, after: 0 }, pointsMax);
      });
      await text.add(`${at === 0 ? "" : ","}${laid.print(given ?? columnsOf([], pointsMax))}`);
    }
    await text.add("]}");
  };
}

/** The x nearest to a place, of two as near the lower one; undefined without points. */
async function nearestPlace(line: Line, wanted: number): Promise<number | undefined> {
  const extent = line.around(wanted);
  if (line.count(extent) > limits.overviewPointsMax) {
    throw new ServiceError(
      "bad_request",
      "Too many points overlap around this place. Ask for a range instead.",
    );
  }
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

async function firstPoints(line: Line, extent: Extent, most: number): Promise<object> {
  const parts: PlacedPoints[] = [];
  let count = 0;
  for await (const block of line.blocks(extent)) {
    const start = firstNotBelow(block.x, extent.start);
    const end = firstNotBelow(block.x, extent.end);
    parts.push(sliceOf(block, start, end));
    count += end - start;
    if (count > most) break;
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
