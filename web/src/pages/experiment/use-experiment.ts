import type {
  ChangedExperiment,
  ChangesReply,
  EditReply,
  ExperimentRecord,
} from "@lossless/client";
import { useRef, useState } from "preact/hooks";
import { Undecided } from "../../parts/undecided.ts";
import { useChanges } from "../../parts/use-changes.ts";
import type { Service } from "../../signed-in.ts";

/** State of an experiment read so far. */
interface LastRead {
  revision: number;
  state?: ChangedExperiment;
  updatedAtMs?: number;
  /** Values at which the series were read. */
  points?: number;
  seriesVersion?: number;
}

const gone = "There is no such experiment in this organization.";

/** Follows an experiment. The record and the state are undefined until they are read. */
export function useExperiment(service: Service, id: string) {
  const [record, setRecord] = useState<ExperimentRecord>();
  const [revisions, setRevisions] = useState<ReadonlyMap<string, number>>(new Map());
  const [state, setState] = useState<ChangedExperiment>();
  const seen = useRef<LastRead>({ revision: 0 });
  const undecided = useRef(new Undecided());
  const look = async (changes: ChangesReply | undefined) => {
    const next = changes ?? (await stateOf(service, id));
    const changed = next.experiments.find(({ experimentId }) => experimentId === id);
    if (changed === undefined) throw new Error(gone);
    setState(changed);
    // Points do not change the record, and rarely the series, of which there may be many.
    if (changed.updatedAtMs !== seen.current.updatedAtMs) {
      setRecord(await service.client.experiment({ experimentId: id }));
      seen.current.updatedAtMs = changed.updatedAtMs;
    }
    const { points, seriesVersion } = changed;
    if (points !== seen.current.points || seriesVersion !== seen.current.seriesVersion) {
      const { experiments } = await service.client.revisions([id]);
      if (experiments.length === 0) throw new Error(gone);
      setRevisions(new Map(experiments[0].series.map((one) => [one.seriesName, one.revision])));
      seen.current.points = points;
      seen.current.seriesVersion = seriesVersion;
    }
    seen.current.revision = changed.revision;
    seen.current.state = changed;
  };
  const revisionSeen = () => {
    const { revision, state: last } = seen.current;
    return last === undefined ? revision : undecided.current.revisionOf(last);
  };
  useChanges(service, { seen: () => [{ experimentId: id, revision: revisionSeen() }], look }, [id]);
  const edited = ({ description, meta, updatedAtMs }: EditReply) => {
    seen.current.updatedAtMs = updatedAtMs;
    setRecord((before) => before && { ...before, description, meta, updatedAtMs });
  };
  return { record, state, revisions, edited };
}

/** The present state, in the form of a change, before any change was received. */
function stateOf({ client }: Service, experimentId: string): Promise<ChangesReply> {
  return client.views.changes({ experiments: [{ experimentId, revision: 0 }], waitMs: 0 });
}
