import type { CatalogSeries } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { pause } from "../../parts/pause.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/** It has all series: while points come it is read more rarely than they are drawn. */
const restMs = 5_000;

/**
 * Which partitions each series has: read again when there is another series, and while points come,
 * which may be the first of a partition.
 */
export function useCatalog(
  service: Service,
  experimentId: string,
  count: number,
  revision: number,
): ReadonlyMap<string, CatalogSeries> {
  const [catalog, setCatalog] = useState<ReadonlyMap<string, CatalogSeries>>(new Map());
  const latest = useRef(revision);
  latest.current = revision;
  useEffect(() => {
    const stopped = new AbortController();
    const follow = async () => {
      let known: number | undefined;
      while (!stopped.signal.aborted) {
        if (latest.current !== known && !document.hidden) {
          const read = () => {
            known = latest.current;
            return service.client.catalog({ experimentId });
          };
          // Without it partitions cannot be chosen, which is all.
          const found = await persistently(read, stopped.signal);
          if (found === undefined) return;
          setCatalog(new Map(found.series.map((one) => [one.seriesName, one])));
        }
        await pause(restMs, stopped.signal);
      }
    };
    void follow();
    return () => stopped.abort();
  }, [service, experimentId, count]);
  return catalog;
}
