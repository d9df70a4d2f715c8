import type {
  ChangedExperiment,
  ChangesReply,
  EditReply,
  ExperimentRecord,
} from "@lossless/client";
import { useRef, useState } from "preact/hooks";
import { useChanges } from "../../parts/use-changes.ts";
import type { Service } from "../../signed-in.ts";

/** What was read of an experiment so far. */
interface Seen {
  revision: number;
  updatedAtMs?: number;
  /** Points of the series whose revisions are known. */
  points?: number;
}

const gone = "There is no such experiment in this organization.";

/** An experiment as it is now. The record and the state are undefined until they were read. */
export function useExperiment(service: Service, id: string) {
  const [record, setRecord] = useState<ExperimentRecord>();
  const [revisions, setRevisions] = useState<ReadonlyMap<string, number>>(new Map());
  const [state, setState] = useState<ChangedExperiment>();
  const seen = useRef<Seen>({ revision: 0 });
  const look = async (changes: ChangesReply | undefined) => {
    const next = changes ?? (await stateOf(service, id));
    const changed = next.experiments.find(({ experimentId }) => experimentId === id);
    if (changed === undefined) throw new Error(gone);
    // Points change nothing of the record, and few other things the series, which may be many.
    if (changed.updatedAtMs !== seen.current.updatedAtMs) {
      setRecord(await service.client.experiment({ experimentId: id }));
      seen.current.updatedAtMs = changed.updatedAtMs;
    }
    if (changed.points !== seen.current.points) {
      const { experiments } = await service.client.revisions([id]);
      if (experiments.length === 0) throw new Error(gone);
      setRevisions(new Map(experiments[0].series.map((one) => [one.seriesName, one.revision])));
      seen.current.points = changed.points;
    }
    seen.current.revision = changed.revision;
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
  /** Its series are others after the next change, though no points come. */
  const forgetSeries = () => void delete seen.current.points;
  return { record, state, revisions, edited, forgetSeries };
}

/** What a change would say, for who has seen none yet. */
function stateOf({ client }: Service, experimentId: string): Promise<ChangesReply> {
  return client.views.changes({ experiments: [{ experimentId, revision: 0 }], waitMs: 0 });
}
