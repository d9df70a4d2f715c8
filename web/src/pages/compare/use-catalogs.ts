import type { CatalogSeries } from "@lossless/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { pause } from "../../parts/pause.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";
import type { ComparedExperiment } from "./use-compared.ts";
import type { SeriesRevisions } from "./use-series.ts";

/** Milliseconds between reads of a running experiment's catalog, which may get new partitions. */
const againMs = 60_000;
/** Catalogs read at a time. */
const readAtOnce = 4;
const lookMs = 2_000;

interface KnownCatalog {
  revision: number;
  names: number;
  readAtMs: number;
  series: readonly CatalogSeries[];
}

/** The partitions of each series in any of the compared experiments. */
export function useCatalogs(
  service: Service,
  experiments: readonly ComparedExperiment[],
  series: SeriesRevisions | undefined,
): ReadonlyMap<string, CatalogSeries> {
  const [known, setKnown] = useState<ReadonlyMap<string, KnownCatalog>>(new Map());
  const latest = useRef({ experiments, series });
  latest.current = { experiments, series };
  useEffect(() => {
    const stopped = new AbortController();
    let found: ReadonlyMap<string, KnownCatalog> = new Map();
    const readOne = async ({ experimentId, revision }: ComparedExperiment) => {
      const names = latest.current.series?.get(experimentId)?.size ?? 0;
      const read = () => service.client.catalog({ experimentId });
      // Without a catalog only the choice of partitions is missing.
      const catalog = await persistently(read, stopped.signal);
      if (catalog === undefined) return;
      const one = { revision, names, readAtMs: Date.now(), series: catalog.series };
      found = new Map(found).set(experimentId, one);
    };
    const follow = async () => {
      while (!stopped.signal.aborted) {
        const wanted = document.hidden ? [] : wantedIn(latest.current, found);
        for (let at = 0; at < wanted.length; at += readAtOnce)
          await Promise.all(wanted.slice(at, at + readAtOnce).map(readOne));
        if (stopped.signal.aborted) return;
        if (wanted.length > 0) setKnown(found);
        await pause(latest.current.series === undefined ? 50 : lookMs, stopped.signal);
      }
    };
    void follow();
    return () => stopped.abort();
  }, [service]);
  return useMemo(() => {
    const shown = experiments.filter(({ isHidden }) => !isHidden);
    return joined(shown.map(({ experimentId }) => known.get(experimentId)?.series ?? []));
  }, [
    known,
    experiments.map(({ experimentId, isHidden }) => `${experimentId} ${isHidden}`).join(),
  ]);
}

function wantedIn(
  {
    experiments,
    series,
  }: { experiments: readonly ComparedExperiment[]; series?: SeriesRevisions | undefined },
  found: ReadonlyMap<string, KnownCatalog>,
): ComparedExperiment[] {
  if (series === undefined) return [];
  return experiments.filter(({ experimentId, revision }) => {
    const before = found.get(experimentId);
    if (before === undefined) return true;
    if (before.names !== (series.get(experimentId)?.size ?? 0)) return true;
    return before.revision !== revision && Date.now() - before.readAtMs > againMs;
  });
}

/** Joins catalogs: the values of a key are those in any of them. */
export function joined(
  catalogs: readonly (readonly CatalogSeries[])[],
): Map<string, CatalogSeries> {
  const all = new Map<string, Record<string, string[]>>();
  for (const { seriesName, metadata } of catalogs.flat()) {
    const known = all.get(seriesName) ?? {};
    for (const [key, values] of Object.entries(metadata))
      known[key] = [...new Set([...(Object.hasOwn(known, key) ? known[key] : []), ...values])];
    all.set(seriesName, known);
  }
  return new Map([...all].map(([seriesName, metadata]) => [seriesName, { seriesName, metadata }]));
}
