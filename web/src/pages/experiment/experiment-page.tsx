import type { ChangesReply, ExperimentRecord } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { useChanges } from "../../parts/use-changes.ts";
import { AnnotationsTab } from "./annotations-tab.tsx";
import { ChartsTab } from "./charts-tab.tsx";
import { Head } from "./head.tsx";
import { MetaTab } from "./meta-tab.tsx";

interface Props extends PageProps {
  id: string;
}

/** `/experiments/{experimentId}` */
export function ExperimentPage({ id, service, location }: Props) {
  const [record, setRecord] = useState<ExperimentRecord>();
  const [revisions, setRevisions] = useState<ReadonlyMap<string, number>>(new Map());
  const [revision, setRevision] = useState(-1);
  const seen = useRef<{ revision: number; updatedAtMs?: number }>({ revision: 0 });
  const look = async (changes: ChangesReply | undefined) => {
    const state = changes?.experiments.find(({ experimentId }) => experimentId === id);
    const { experiments } = await service.client.revisions([id]);
    const found = experiments[0];
    if (found === undefined) throw new Error("There is no such experiment in this organization.");
    // Points change nothing of the record.
    if (state === undefined || state.updatedAtMs !== seen.current.updatedAtMs) {
      const next = await service.client.experiment({ experimentId: id });
      seen.current.updatedAtMs = next.updatedAtMs;
      setRecord(next);
    }
    seen.current.revision = found.revision;
    setRevisions(new Map(found.series.map((one) => [one.seriesName, one.revision])));
    setRevision(found.revision);
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
  if (record === undefined) return <p class="waiting">{problem ?? "Reading the experiment …"}</p>;
  const tab = location.parameter("tab") ?? "charts";
  return (
    <main class="experiment">
      <Head record={record} problem={problem} />
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
        <ChartsTab record={record} revisions={revisions} service={service} location={location} />
      )}
      {tab === "meta" && <MetaTab meta={record.meta} location={location} />}
      {tab === "annotations" && <AnnotationsTab id={id} revision={revision} service={service} />}
    </main>
  );
}
