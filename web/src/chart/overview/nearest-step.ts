import type { OverviewBody } from "@lossless/client";
import type { Service } from "../../signed-in.ts";

/** The step of a chart's point that is nearest to a place on its axis. */
export async function nearestStep(
  { client }: Pick<Service, "client">,
  { series, xAxis, xSeriesName }: OverviewBody,
  x: number,
): Promise<number | undefined> {
  const axis = { xAxis, ...(xSeriesName === undefined ? {} : { xSeriesName }) };
  const body = { series, ...axis, nearest: x, pointsMax: 1, partitionsMax: 1 };
  try {
    const [line] = (await client.views.points(body)).series;
    return line?.step[0] ?? undefined;
  } catch {
    // The author can enter it.
    return undefined;
  }
}
