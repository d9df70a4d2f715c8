import type { ChangedExperiment, ChangesReply, ExperimentRecord } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import type { Service } from "../../signed-in.ts";
import { useChanges } from "../../parts/use-changes.ts";
import { AnnotationsTab } from "./annotations-tab.tsx";
import { ChartsTab } from "./charts-tab.tsx";
import { Head } from "./head.tsx";
import { MetaTab } from "./meta-tab.tsx";

/** `/experiments/{experimentId}` */
export function ExperimentPage({ id, service, location }: PathProps) {
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
  const problem = service.changes.problem.value;
  useEffect(() => {
    document.title = `${record?.slug ?? "Experiment"} · Lossless`;
  }, [record?.slug]);
  if (record === undefined || state === undefined)
    return <p class="waiting">{problem ?? "Reading the experiment …"}</p>;
  const tab = location.parameter("tab") ?? "charts";
  return (
    <main class="experiment">
      <Head record={record} state={state} problem={problem} />
      <nav class="tabs" aria-label="Parts of the experiment">
        {["charts", "meta", "annotations"].map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={tab === each}
            onClick={() => location.change({ tab: each === "charts" ? undefined : each }, true)}
          >
            {each}
          </button>
        ))}
      </nav>
      {tab === "charts" && (
        <ChartsTab {...{ record, revision: state.revision, revisions, service, location }} />
      )}
      {tab === "meta" && <MetaTab meta={record.meta} location={location} />}
      {tab === "annotations" && (
        <AnnotationsTab id={id} revision={state.revision} service={service} />
      )}
    </main>
  );
}

/** What a change would say, for who has seen none yet. */
function stateOf({ client }: Service, experimentId: string): Promise<ChangesReply> {
  return client.views.changes({ experiments: [{ experimentId, revision: 0 }], waitMs: 0 });
}
