import { useEffect, useState } from "preact/hooks";
import { persistently } from "../parts/persistently.ts";
import type { Service } from "../signed-in.ts";

/** Where an axis that counts from the first step begins; asked only for such an axis. */
export function useFirstStep(
  service: Service,
  /** Undefined: nobody asks. */
  experimentId: string | undefined,
  seriesName: string,
): number | undefined {
  const [first, setFirst] = useState<number>();
  useEffect(() => {
    if (experimentId === undefined) return;
    const stopped = new AbortController();
    const series = [{ experimentId, seriesName }];
    const body = { series, xAxis: "offset" as const, pointsMax: 1, partitionsMax: 1 };
    const read = async () => {
      const [line] = (await service.client.views.points(body, stopped.signal)).series;
      if (line !== undefined && line.x.length > 0) setFirst(line.step[0] - line.x[0]);
    };
    // Without it marks have no place on such an axis.
    void persistently(read, stopped.signal);
    return () => stopped.abort();
  }, [service, experimentId, seriesName]);
  return first;
}
