import { useEffect, useMemo, useState } from "preact/hooks";
import type { Anchors, Mark } from "../../chart/lane-marks.ts";
import type { XAxis } from "../../chart/view.ts";
import type { Service } from "../../signed-in.ts";

/** Each takes a request; later ones have no place among steps. */
const timesMax = 40;

/** A point by which times and steps of a run are told apart. */
interface Place {
  x: number;
  step: number;
  timestampMs: number;
}

/** What the lane has to know of a run, by the points of one of its series. */
export function useAnchors(
  service: Service,
  experimentId: string,
  seriesName: string | undefined,
  marks: readonly Mark[],
  axis: XAxis["kind"],
): Anchors {
  const [steps, setSteps] = useState<ReadonlyMap<number, number>>(new Map());
  const [firstMs, setFirstMs] = useState<number>();
  const times = axis === "step" || axis === "offset" ? timesOf(marks) : [];
  const isElapsed = axis === "elapsed";
  useEffect(() => {
    if (seriesName === undefined || (times.length === 0 && !isElapsed)) return;
    const stopped = new AbortController();
    const near = (xAxis: "timestamp" | "elapsed", nearest: number) =>
      placeNear(service, { experimentId, seriesName }, xAxis, nearest, stopped.signal);
    const find = async () => {
      if (isElapsed) {
        const first = await near("elapsed", 0);
        if (first !== undefined) setFirstMs(first.timestampMs - first.x);
      }
      const found = new Map<number, number>();
      for (const time of times) {
        const place = await near("timestamp", time);
        if (place !== undefined) found.set(time, place.step);
      }
      if (times.length > 0) setSteps(found);
    };
    // Marks without a place are not drawn; the next change asks again.
    find().catch(() => undefined);
    return () => stopped.abort();
  }, [service, experimentId, seriesName, isElapsed, times.join()]);
  return useMemo(() => ({ firstMs, stepAt: (timeMs) => steps.get(timeMs) }), [firstMs, steps]);
}

function timesOf(marks: readonly Mark[]): number[] {
  const times = marks.flatMap(({ step, timeMs }) =>
    step === undefined && timeMs !== undefined ? [timeMs] : [],
  );
  return [...new Set(times)].slice(0, timesMax);
}

/** The point of a series nearest to a place of an axis. */
async function placeNear(
  service: Service,
  series: { experimentId: string; seriesName: string },
  xAxis: "timestamp" | "elapsed",
  nearest: number,
  signal: AbortSignal,
): Promise<Place | undefined> {
  const body = { series: [series], xAxis, nearest, pointsMax: 1, partitionsMax: 1 };
  const [line] = (await service.client.views.points(body, signal)).series;
  if (line === undefined || line.x.length === 0) return undefined;
  return { x: line.x[0], step: line.step[0], timestampMs: line.timestampMs[0] };
}
