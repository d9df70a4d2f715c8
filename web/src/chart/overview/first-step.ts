import { useEffect, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/** Reads the origin of an axis that counts from the first step; only for such an axis. */
export function useFirstStep(
  service: Service,
  /** Undefined: nothing is read. */
  experimentId: string | undefined,
  seriesName: string,
): number | undefined {
  const [first, setFirst] = useState<number>();
  useEffect(() => {
    if (experimentId === undefined) return;
    const stopped = new AbortController();
    const read = async (signal: AbortSignal) => {
      const found = await readFirstStep(service, experimentId, seriesName, signal);
      if (found !== undefined) setFirst(found);
    };
    // Without it marks have no place on such an axis.
    void persistently(read, stopped.signal);
    return () => stopped.abort();
  }, [service, experimentId, seriesName]);
  return first;
}

/** Reads the first step; undefined for a series without points. */
export async function readFirstStep(
  { client }: Service,
  experimentId: string,
  seriesName: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const series = [{ experimentId, seriesName }];
  const body = { series, xAxis: "offset" as const, pointsMax: 1, partitionsMax: 1 };
  const [line] = (await client.views.points(body, signal)).series;
  return line === undefined || line.x.length === 0 ? undefined : line.step[0] - line.x[0];
}
