import type { CatalogSeries } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { pause } from "../../parts/pause.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/**
 * Milliseconds between reads of the catalog, which has all series and so is read less often than
 * points.
 */
const restMs = 5_000;

/**
 * The partitions of each series: read again for a new series, and while points arrive, which may be
 * the first of a partition.
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
          // Without a catalog only the choice of partitions is missing.
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
