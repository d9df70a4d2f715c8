import { limits } from "@lossless/protocol/limits";
import type { OverviewBody } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { aligned, type Stepped } from "./alignment.ts";
import { Drawing } from "./drawing.ts";
import { layLines } from "./laid-line.ts";
import { nonfiniteEnd, readLastNonfinite } from "./last-nonfinite.ts";
import type { Extent } from "./line.ts";
import { neededAround, placedSmoothing } from "./placed-smoothing.ts";
import { rangeOf } from "./range.ts";
import { selectPartitions, type ViewContext } from "./selected-partitions.ts";
import { smootherOf, type PlacedSmoothing } from "./smoothing.ts";

export interface ReadOverview {
  organizationId: string;
  body: OverviewBody;
}

/** `views/overview`. An unknown or foreign experiment has no series, as in `query.series`. */
export async function readOverview(
  reader: Reader,
  { organizationId, body }: ReadOverview,
  text: ReplyText,
  context: ViewContext,
): Promise<() => Promise<void>> {
  const { xAxis, xSeriesName, xScale = "linear", columns } = body;
  const linesMax = Math.floor(limits.overviewColumnsTogetherMax / columns);
  const selection = { ...body, organizationId, linesMax };
  const { partitions, matching } = await selectPartitions(reader, selection, context);
  const nonfinite = await readLastNonfinite(reader, partitions);
  return async () => {
    const lines = await layLines(partitions, xAxis, context.damage);
    const drawings = lines.map((line) => new Drawing(line, context.drawnLines));
    const range = await rangeOf(body, drawings);
    const raster = alignedIf(body, { xScale, ...range, columns }, partitions);
    const smooth = await placedSmoothing(body, drawings);
    const extent = { start: raster.start, end: raster.end, ...neededAround(smooth) };
    requireReadable(drawings, raster, extent, smooth);
    const opening = JSON.stringify({ xAxis, xSeriesName, ...raster, partitions: matching });
    await text.add(`${opening.slice(0, -1)},"series":[`);
    const endOf = async (at: number) => {
      const known = nonfinite[at];
      if (known === undefined) return undefined;
      return lines[at].unlessDamaged(() => nonfiniteEnd(partitions[at], known, body));
    };
    let points = 0;
    for (const [at, drawing] of drawings.entries()) {
      await drawing.reduce(raster, extent, smooth);
      points += drawing.points;
      await text.add(`${at === 0 ? "" : ","}${drawing.print(await endOf(at))}`);
    }
    await text.add(`],"points":${points}}`);
  };
}

/** Smoothing reads every point anyway, and no cells lie along other axes. */
function alignedIf(
  { align, xAxis, smooth }: OverviewBody,
  raster: Raster,
  partitions: readonly Stepped[],
): Raster {
  const isStepped = (xAxis === "step" || xAxis === "offset") && raster.xScale !== "log";
  const isWanted = align === true && isStepped && smooth === undefined;
  return isWanted ? aligned(raster, partitions) : raster;
}

function requireReadable(
  drawings: readonly Drawing[],
  raster: Raster,
  extent: Extent,
  smooth: PlacedSmoothing | undefined,
): void {
  const isSmooth = smooth !== undefined;
  const points = drawings.reduce(
    (sum, drawing) => sum + drawing.count(raster, extent, isSmooth),
    0,
  );
  const narrower = "Ask for fewer series or a smaller range";
  if (points > limits.overviewPointsMax) {
    const most = limits.overviewPointsMax;
    throw tooMuch(
      `About ${points} points of this range would have to be read; an overview reads ${most} at ` +
        `most. ${narrower}${isSmooth ? "" : ", or over steps with `align`"}.`,
    );
  }
  if (smooth === undefined || points * smootherOf(smooth).products <= limits.gaussProductsMax)
    return;
  throw tooMuch(
    `A Gaussian of ${smooth.kind === "gauss" ? smooth.points : 0} points over about ${points} points ` +
      `takes too long. Use a narrower one, or \`x\`. ${narrower}.`,
  );
}

function tooMuch(sentence: string): ServiceError {
  return new ServiceError("bad_request", sentence);
}
