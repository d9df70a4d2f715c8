import { limits } from "@lossless/protocol/limits";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Anchors, Mark } from "../../chart/lane-marks.ts";
import type { XAxis } from "../../chart/view.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/** Each takes a request; later ones have no place among steps. */
const timesMax = 40;

/** So much later than its first point a run may have been told to be started. */
const startLagMs = 60_000;

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
): Anchors & { unplaced: number } {
  const [steps, setSteps] = useState<ReadonlyMap<number, Place>>(new Map());
  const [firstMs, setFirstMs] = useState<number>();
  const isStep = axis === "step" || axis === "offset";
  const times = isStep ? timesOf(marks) : [];
  const unplaced = isStep ? beyond(marks, times) : 0;
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
      const found = new Map<number, Place>();
      for (const time of times) {
        const place = await near("timestamp", time);
        if (place !== undefined) found.set(time, place);
      }
      if (times.length > 0) setSteps(found);
    };
    // Until then marks without a place are not drawn.
    void persistently(find, stopped.signal);
    return () => stopped.abort();
  }, [service, experimentId, seriesName, isElapsed, times.join()]);
  return useMemo(() => {
    const stepAt = (timeMs: number, isStart: boolean) => {
      const place = steps.get(timeMs);
      const isBehindAll = place !== undefined && timeMs - place.timestampMs > startLagMs;
      return isStart && isBehindAll ? undefined : place?.step;
    };
    return { firstMs, stepAt, unplaced };
  }, [firstMs, steps, unplaced]);
}

function timesOf(marks: readonly Mark[]): number[] {
  const times = marks.flatMap(({ step, timeMs }) =>
    step === undefined && timeMs !== undefined ? [timeMs] : [],
  );
  return [...new Set(times)].slice(0, timesMax);
}

/** Marks whose times are not among those that are looked up. */
function beyond(marks: readonly Mark[], times: readonly number[]): number {
  const known = new Set(times);
  const isBeyond = ({ step, timeMs }: Mark) =>
    step === undefined && timeMs !== undefined && !known.has(timeMs);
  return marks.filter(isBeyond).length;
}

/** The point of a series nearest to a place of an axis. */
async function placeNear(
  service: Service,
  series: { experimentId: string; seriesName: string },
  xAxis: "timestamp" | "elapsed",
  nearest: number,
  signal: AbortSignal,
): Promise<Place | undefined> {
  const most = { pointsMax: limits.viewPointsMax, partitionsMax: 1 };
  const body = { series: [series], xAxis, nearest, ...most };
  const [line] = (await service.client.views.points(body, signal)).series;
  if (line === undefined || line.x.length === 0) return undefined;
  // Several points may have one time: a run had got to the last of them.
  const last = line.x.length - 1;
  return { x: line.x[last], step: line.step[last], timestampMs: line.timestampMs[last] };
}
