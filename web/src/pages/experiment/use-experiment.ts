import type {
  ChangedExperiment,
  ChangesReply,
  EditReply,
  ExperimentRecord,
} from "@lossless/client";
import { useRef, useState } from "preact/hooks";
import { useChanges } from "../../parts/use-changes.ts";
import type { Service } from "../../signed-in.ts";

/** An experiment as it is now. The record and the state are undefined until they were read. */
export function useExperiment(service: Service, id: string) {
  const [record, setRecord] = useState<ExperimentRecord>();
  const [revisions, setRevisions] = useState<ReadonlyMap<string, number>>(new Map());
  const [state, setState] = useState<ChangedExperiment>();
  const seen = useRef<{ revision: number; updatedAtMs?: number }>({ revision: 0 });
  const look = async (changes: ChangesReply | undefined) => {
    const { experiments } = await service.client.revisions([id]);
    const found = experiments[0];
    const next = changes ?? (await stateOf(service, id));
    const changed = next.experiments.find(({ experimentId }) => experimentId === id);
    if (found === undefined || changed === undefined)
      throw new Error("There is no such experiment in this organization.");
    // Points change nothing of the record.
    if (changed.updatedAtMs !== seen.current.updatedAtMs) {
      setRecord(await service.client.experiment({ experimentId: id }));
      seen.current.updatedAtMs = changed.updatedAtMs;
    }
    // Both are of a moment of their own: what only one of them knows yet is asked for again.
    seen.current.revision = Math.min(found.revision, changed.revision);
    setRevisions(new Map(found.series.map((one) => [one.seriesName, one.revision])));
    setState(changed);
  };
  useChanges(
    service,
    { seen: () => [{ experimentId: id, revision: seen.current.revision }], look },
    [id],
  );
  const edited = ({ description, meta, updatedAtMs }: EditReply) => {
    seen.current.updatedAtMs = updatedAtMs;
    setRecord((before) => before && { ...before, description, meta, updatedAtMs });
  };
  return { record, state, revisions, edited };
}

/** What a change would say, for who has seen none yet. */
function stateOf({ client }: Service, experimentId: string): Promise<ChangesReply> {
  return client.views.changes({ experiments: [{ experimentId, revision: 0 }], waitMs: 0 });
}
