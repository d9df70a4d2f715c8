import type { OverviewBody } from "@lossless/client";
import type { Service } from "../../signed-in.ts";

/** Step and time of a chart's point that is nearest to a place on its axis. */
export async function nearestPoint(
  { client }: Pick<Service, "client">,
  { series, xAxis, xSeriesName }: OverviewBody,
  x: number,
): Promise<{ step: number; timeMs: number } | undefined> {
  const axis = { xAxis, ...(xSeriesName === undefined ? {} : { xSeriesName }) };
  const body = { series, ...axis, nearest: x, pointsMax: 1, partitionsMax: 1 };
  try {
    const [line] = (await client.views.points(body)).series;
    if (line === undefined || line.step.length === 0) return undefined;
    return { step: line.step[0], timeMs: line.timestampMs[0] };
  } catch {
    // A step can be entered, and a console be searched.
    return undefined;
  }
}
