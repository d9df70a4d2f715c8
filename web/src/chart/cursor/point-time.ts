import type { OverviewBody } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";

/** Milliseconds of rest after which the pointer's place is described. */
const restMs = 250;

/**
 * The time and step at which the point under a resting cursor was recorded: that of the first line
 * of an experiment.
 */
export function usePointTime(
  service: Service,
  request: OverviewBody,
  experimentId: string | undefined,
  cursor: number | undefined,
  onStep: (step: number) => void,
): string | undefined {
  const [told, setTold] = useState<string>();
  const { xAxis, xSeriesName } = request;
  const series = request.series.filter((one) => one.experimentId === experimentId);
  const asked = JSON.stringify([series, xAxis, xSeriesName]);
  useEffect(() => {
    setTold(undefined);
    if (cursor === undefined || series.length === 0) return;
    const stopped = new AbortController();
    const read = async () => {
      const axis = { xAxis, ...(xSeriesName === undefined ? {} : { xSeriesName }) };
      const body = { series, ...axis, nearest: cursor, pointsMax: 1, partitionsMax: 1 };
      const [line] = (await service.client.views.points(body, stopped.signal)).series;
      if (line === undefined || line.x.length === 0) return;
      const time = timeText(line.timestampMs[0]);
      onStep(line.step[0]);
      setTold(xAxis === "step" ? time : `step ${line.step[0].toLocaleString("en")}, ${time}`);
    };
    // The drawn values are shown without it.
    const timer = setTimeout(() => void read().catch(() => undefined), restMs);
    return () => (clearTimeout(timer), stopped.abort());
  }, [service, asked, cursor]);
  return told;
}
