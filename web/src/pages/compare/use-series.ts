import { useEffect, useRef, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";
import type { ComparedExperiment } from "./use-compared.ts";

/** Revisions of series: by experiment, then by name. */
export type SeriesRevisions = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface KnownSeries {
  revision: number;
  /** State of the experiment then: while both are unchanged, its series are, too. */
  points: number;
  seriesVersion: number;
  series: ReadonlyMap<string, number>;
}

/**
 * The series of the compared experiments; those of an experiment are read again when they change.
 */
export function useSeries(
  service: Service,
  experiments: readonly ComparedExperiment[],
): SeriesRevisions | undefined {
  const [known, setKnown] = useState<ReadonlyMap<string, KnownSeries>>();
  const latest = useRef({ experiments, known });
  latest.current = { experiments, known };
  const wake = useRef<() => void>(() => undefined);
  useEffect(() => {
    const stopped = new AbortController();
    let isReading = false;
    const read = async (): Promise<void> => {
      const changed = changedIn(latest.current.experiments, latest.current.known);
      if (isReading || changed.length === 0) return;
      isReading = true;
      const found = await persistently(() => readSeries(service, changed), stopped.signal);
      isReading = false;
      if (found === undefined) return;
      const next = new Map([...(latest.current.known ?? []), ...found]);
      latest.current = { ...latest.current, known: next };
      setKnown(next);
      await read();
    };
    wake.current = () => void read();
    wake.current();
    return () => stopped.abort();
  }, [service]);
  const revisions = experiments.map(({ experimentId, revision }) => `${experimentId} ${revision}`);
  useEffect(() => wake.current(), [revisions.join()]);
  return known && new Map([...known].map(([id, { series }]) => [id, series]));
}

function changedIn(
  experiments: readonly ComparedExperiment[],
  known: ReadonlyMap<string, KnownSeries> | undefined,
): ComparedExperiment[] {
  return experiments.filter(({ experimentId, revision, points, seriesVersion }) => {
    const before = known?.get(experimentId);
    if (before === undefined) return true;
    const isOther = points !== before.points || seriesVersion !== before.seriesVersion;
    return isOther && revision > before.revision;
  });
}

async function readSeries(
  { client }: Service,
  changed: readonly ComparedExperiment[],
): Promise<Map<string, KnownSeries>> {
  const { experiments } = await client.revisions(changed.map(({ experimentId }) => experimentId));
  const byId = new Map(experiments.map((one) => [one.experimentId, one]));
  const known = changed.map(({ experimentId, revision, ...seen }): [string, KnownSeries] => {
    const { points, seriesVersion } = seen;
    const found = byId.get(experimentId);
    const series = new Map((found?.series ?? []).map((one) => [one.seriesName, one.revision]));
    // An experiment that is gone, or read from a server that is behind, is not asked for
    // repeatedly.
    const latest = Math.max(revision, found?.revision ?? 0);
    return [experimentId, { revision: latest, points, seriesVersion, series }];
  });
  return new Map(known);
}
