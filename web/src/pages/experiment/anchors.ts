import type { ViewPointsReply } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useEffect, useMemo, useState } from "preact/hooks";
import { readFirstStep } from "../../chart/overview/first-step.ts";
import type { Anchors, Mark } from "../../chart/lane/marks.ts";
import type { XAxis } from "../../chart/view.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/** Times of one request at most; older marks get no place on the axis of steps. */
const timesMax = limits.viewPlacesMax;

/** Milliseconds after the nearest point beyond which a start is not placed at it. */
const startLagMs = 60_000;

export interface CountedAnchors extends Anchors {
  /** Marks without a place on the axis, beyond `timesMax`. */
  unplaced: number;
}

interface Series {
  experimentId: string;
  seriesName: string;
}

/** A point that relates times of a run to its steps. */
interface TimedStep {
  x: number;
  /** The last of several points at one time, which the run had reached, and the first. */
  step: number;
  firstStep: number;
  timestampMs: number;
}

/** Anchors found so far; those that the present axis does not need stay from another one. */
interface KnownAnchors {
  firstMs?: number;
  steps?: ReadonlyMap<number, TimedStep>;
}

/** Finds the anchors of a run's marks from the points of one of its series. */
export function useAnchors(
  service: Service,
  experimentId: string,
  seriesName: string | undefined,
  marks: readonly Mark[],
  axis: XAxis["kind"],
): CountedAnchors {
  const [found, setFound] = useState<KnownAnchors>({});
  const { times, unplaced } = useMemo(() => timesOf(marks, axis), [marks, axis]);
  const isElapsed = axis === "elapsed";
  useEffect(() => {
    if (seriesName === undefined || (times.length === 0 && !isElapsed)) return;
    const stopped = new AbortController();
    const series = { experimentId, seriesName };
    const find = async (signal: AbortSignal) => {
      const next = await findPlaces(service, series, times, isElapsed, signal);
      setFound((before) => ({ ...before, ...next }));
    };
    // Until then marks without a place are not drawn.
    void persistently(find, stopped.signal);
    return () => stopped.abort();
  }, [service, experimentId, seriesName, isElapsed, times.join()]);
  return useMemo(() => anchorsOf(found, unplaced), [found, unplaced]);
}

/** The same, read once. */
export async function readAnchors(
  service: Service,
  series: Series,
  marks: readonly Mark[],
  axis: XAxis["kind"],
  signal: AbortSignal,
): Promise<CountedAnchors> {
  const { times, unplaced } = timesOf(marks, axis);
  const found = await findPlaces(service, series, times, axis === "elapsed", signal);
  const { experimentId, seriesName } = series;
  const firstStep =
    axis === "offset" ? await readFirstStep(service, experimentId, seriesName, signal) : undefined;
  return { ...anchorsOf(found, unplaced), firstStep };
}

/**
 * The times to look up among marks that have no step: the start and the newest ones; and the number
 * of marks left out.
 */
export function timesOf(
  marks: readonly Mark[],
  axis: XAxis["kind"],
): { times: readonly number[]; unplaced: number } {
  if (axis !== "step" && axis !== "offset") return { times: [], unplaced: 0 };
  const timed = marks.flatMap(({ kind, step, timeMs }) =>
    step === undefined && timeMs !== undefined ? [{ timeMs, isStart: kind === "start" }] : [],
  );
  const inOrder = timed.toSorted(
    (one, other) => Number(other.isStart) - Number(one.isStart) || other.timeMs - one.timeMs,
  );
  const different = new Set(inOrder.map(({ timeMs }) => timeMs));
  const known = new Set([...different].slice(0, timesMax));
  return { times: [...known], unplaced: timed.filter(({ timeMs }) => !known.has(timeMs)).length };
}

async function findPlaces(
  service: Service,
  series: Series,
  times: readonly number[],
  isElapsed: boolean,
  signal: AbortSignal,
): Promise<KnownAnchors> {
  const found: KnownAnchors = {};
  if (isElapsed) {
    const first = (await placesNear(service, series, "elapsed", [0], signal)).get(0);
    if (first !== undefined) found.firstMs = first.timestampMs - first.x;
  }
  if (times.length > 0) found.steps = await placesNear(service, series, "timestamp", times, signal);
  return found;
}

function anchorsOf({ firstMs, steps }: KnownAnchors, unplaced: number): CountedAnchors {
  const stepAt = (timeMs: number, isStart: boolean) => {
    const place = steps?.get(timeMs);
    const isBehindAll = place !== undefined && timeMs - place.timestampMs > startLagMs;
    // A run that was recorded at once may have all its points at the time of its start.
    return !isStart ? place?.step : isBehindAll ? undefined : place?.firstStep;
  };
  return { firstMs, stepAt, unplaced };
}

/** Finds the points of a series nearest to places of an axis, by place. */
async function placesNear(
  service: Service,
  series: Series,
  xAxis: "timestamp" | "elapsed",
  places: readonly number[],
  signal: AbortSignal,
): Promise<Map<number, TimedStep>> {
  const most = { pointsMax: limits.viewPointsMax, partitionsMax: 1 };
  const body = { series: [series], xAxis, places: [...places], ...most };
  const [line] = (await service.client.views.points(body, signal)).series;
  if (line === undefined || line.x.length === 0) return new Map();
  if (line.isWhole || places.length === 1)
    return new Map(places.map((place) => [place, nearestIn(line, place)]));
  // A run may have thousands of points at one time, which crowd out the others.
  const middle = places.length >> 1;
  const halves = [places.slice(0, middle), places.slice(middle)].map((half) =>
    placesNear(service, series, xAxis, half, signal),
  );
  return new Map((await Promise.all(halves)).flatMap((half) => [...half]));
}

/**
 * The nearest point. Points are in the order of the axis; of two at equal distance the lower one is
 * taken, and of several at one time the first and the last.
 */
export function nearestIn(
  { x, step, timestampMs }: ViewPointsReply["series"][number],
  wanted: number,
): TimedStep {
  let [first, at] = [0, 0];
  for (let next = 1; next < x.length; next++) {
    const isNearer = Math.abs(x[next] - wanted) < Math.abs(x[at] - wanted);
    if (isNearer) first = next;
    if (isNearer || x[next] === x[at]) at = next;
  }
  return { x: x[at], step: step[at], firstStep: step[first], timestampMs: timestampMs[at] };
}
