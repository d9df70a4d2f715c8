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

export const gone = "There is no such experiment in this organization.";

/** Follows an experiment. The record and the state are undefined until they are read. */
export function useExperiment(service: Service, id: string) {
  const [record, setRecord] = useState<ExperimentRecord>();
  const [revisions, setRevisions] = useState<ReadonlyMap<string, number>>(new Map());
  const [state, setState] = useState<ChangedExperiment>();
  const seen = useRef<LastRead>({ revision: 0 });
  const undecided = useRef(new Undecided());
  // Points do not change the record, and rarely the series, of which there may be many.
  const readRecord = async ({ updatedAtMs }: ChangedExperiment) => {
    if (updatedAtMs === seen.current.updatedAtMs) return undefined;
    return service.client.experiment({ experimentId: id });
  };
  const readRevisions = async ({ points, seriesVersion }: ChangedExperiment) => {
    const last = seen.current;
    if (points === last.points && seriesVersion === last.seriesVersion) return undefined;
    const { experiments } = await service.client.revisions([id]);
    if (experiments.length === 0) throw new Error(gone);
    return new Map(experiments[0].series.map((one) => [one.seriesName, one.revision]));
  };
  const look = async (changes: ChangesReply | undefined) => {
    const next = changes ?? (await stateOf(service, id));
    const changed = next.experiments.find(({ experimentId }) => experimentId === id);
    if (changed === undefined) throw new Error(gone);
    setState(changed);
    const [found, series] = await Promise.all([readRecord(changed), readRevisions(changed)]);
    // Together: a page with a record and no series says that there are no points.
    if (found !== undefined) setRecord(found);
    if (series !== undefined) setRevisions(series);
    const { revision, updatedAtMs, points, seriesVersion } = changed;
    seen.current = { revision, updatedAtMs, points, seriesVersion, state: changed };
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
