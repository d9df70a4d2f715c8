import { useEffect, useState } from "preact/hooks";
import type { MetaFields } from "../../chart/lines/looks.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";
import { metaFieldsOf, metaTestsOf, type MetaTests } from "./meta-fields.ts";
import type { ComparedExperiment } from "./use-compared.ts";

export interface Metas {
  byExperiment: ReadonlyMap<string, MetaFields>;
  tests: MetaTests;
  /** Keys and values missing in groups, as there are too many, or their keys are too long. */
  unread: number;
}

/**
 * The metas of the compared experiments as the service compares them: a browser would round the
 * digits of a seed. Undefined until the first are read.
 */
export function useMetas(
  { client }: Service,
  experiments: readonly ComparedExperiment[],
): Metas | undefined {
  const [metas, setMetas] = useState<Metas>();
  const wanted = experiments.map(
    ({ experimentId, updatedAtMs }) => `${experimentId} ${updatedAtMs}`,
  );
  useEffect(() => {
    const stopped = new AbortController();
    const experimentIds = experiments.map(({ experimentId }) => experimentId);
    const read = async (signal: AbortSignal) => {
      const asked = { experimentIds, metricsMax: 0 };
      const all = await client.views.difference({ ...asked, equalKeys: true }, signal);
      if (all.keys.length === all.differingKeys + all.equalKeys) return all;
      // Equal keys do not distinguish groups.
      return client.views.difference(asked, signal);
    };
    const follow = async () => {
      const found = await persistently(read, stopped.signal);
      if (found === undefined) return;
      const fields = metaFieldsOf(found);
      const none: MetaFields = new Map();
      const byExperiment = new Map(experimentIds.map((id) => [id, fields.get(id) ?? none]));
      const unread = Math.max(0, found.differingKeys - found.keys.length) + found.uncomparedValues;
      setMetas({ byExperiment, tests: metaTestsOf(found), unread });
    };
    if (experimentIds.length > 0) void follow();
    return () => stopped.abort();
  }, [client, wanted.join()]);
  return metas;
}
