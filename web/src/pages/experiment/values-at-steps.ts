import { limits } from "@lossless/client";
import { usualDirection } from "../../parts/directions.ts";
import type { Service } from "../../signed-in.ts";

/** The recorded point that is nearest to a step. */
export interface ValueAtStep {
  step: number;
  value: number;
}

/** Reads the values of a metric nearest to each step, of its first partition. */
export async function readValuesAtSteps(
  { client }: Service,
  experimentId: string,
  seriesName: string | undefined,
  steps: readonly number[],
  stopped?: AbortSignal,
): Promise<ReadonlyMap<number, ValueAtStep>> {
  const found = new Map<number, ValueAtStep>();
  const all = seriesName === undefined ? [] : [...new Set(steps)];
  for (let start = 0; start < all.length; start += limits.viewPlacesMax) {
    const places = all.slice(start, start + limits.viewPlacesMax);
    const { series } = await client.views.points(
      {
        series: [{ experimentId, seriesName: seriesName!, filter: [] }],
        xAxis: "step",
        places,
        partitionsMax: 1,
        pointsMax: limits.viewPointsMax,
      },
      stopped,
    );
    if (series.length === 0) break;
    for (const [step, value] of valuesAtSteps(places, series[0])) found.set(step, value);
  }
  return found;
}

/** The earlier one of two equally near steps counts, and the last point of a step: the line. */
export function valuesAtSteps(
  steps: readonly number[],
  line: { step: readonly number[]; value: readonly number[] },
): Map<number, ValueAtStep> {
  const points = line.step.map((step, at): ValueAtStep => ({ step, value: line.value[at] }));
  const found = new Map<number, ValueAtStep>();
  for (const wanted of steps) {
    const away = ({ step }: ValueAtStep) => Math.abs(step - wanted);
    const least = points.reduce((nearest, point) => Math.min(nearest, away(point)), Infinity);
    const first = points.find((point) => away(point) === least)?.step;
    const point = points.findLast(({ step }) => step === first);
    if (point !== undefined) found.set(wanted, point);
  }
  return found;
}

/** The best of several values; undefined where the metric's name has no goal. */
export function bestOf(seriesName: string, values: readonly number[]): number | undefined {
  const direction = usualDirection(seriesName);
  if (direction === "none" || values.length < 2) return undefined;
  return direction === "least" ? Math.min(...values) : Math.max(...values);
}
