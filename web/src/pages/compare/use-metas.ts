import { useEffect, useRef, useState } from "preact/hooks";
import type { MetaFields } from "../../chart/grouping.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";
import { metaFieldsOf } from "./meta-fields.ts";
import type { ComparedExperiment } from "./use-compared.ts";

interface Known {
  updatedAtMs: number;
  fields: MetaFields;
}

/** The metas of the compared experiments as recorded; undefined until the first were read. */
export function useMetas(
  service: Service,
  experiments: readonly ComparedExperiment[],
): ReadonlyMap<string, MetaFields> | undefined {
  const [known, setKnown] = useState<ReadonlyMap<string, Known>>();
  const latest = useRef<ReadonlyMap<string, Known>>(new Map());
  const wanted = experiments.map(
    ({ experimentId, updatedAtMs }) => `${experimentId} ${updatedAtMs}`,
  );
  useEffect(() => {
    const stopped = new AbortController();
    const lacking = experiments.filter(
      ({ experimentId, updatedAtMs }) =>
        latest.current.get(experimentId)?.updatedAtMs !== updatedAtMs,
    );
    const read = async () => {
      const ids = lacking.map(({ experimentId }) => experimentId);
      const found = await persistently(() => service.client.experiments(ids), stopped.signal);
      if (found === undefined) return;
      const metas = new Map(found.experiments.map((one) => [one.experimentId, one.meta]));
      const next = new Map(latest.current);
      for (const { experimentId, updatedAtMs } of lacking)
        next.set(experimentId, { updatedAtMs, fields: metaFieldsOf(metas.get(experimentId)) });
      latest.current = next;
      setKnown(next);
    };
    if (lacking.length > 0) void read();
    return () => stopped.abort();
  }, [service, wanted.join()]);
  return known && new Map([...known].map(([id, { fields }]) => [id, fields]));
}
