import type { ExperimentRecord } from "@lossless/client";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { usePoll } from "../../parts/poll.ts";
import { AnnotationsTab } from "./annotations-tab.tsx";
import { ChartsTab } from "./charts-tab.tsx";
import { Head } from "./head.tsx";
import { MetaTab } from "./meta-tab.tsx";

interface Props extends PageProps {
  id: string;
}

/** Every second a running experiment is asked whether it has more; another one now and then. */
const runningEveryMs = 1_000;
const endedEveryMs = 15_000;

/** `/experiments/{experimentId}` */
export function ExperimentPage({ id, service, location }: Props) {
  const [record, setRecord] = useState<ExperimentRecord>();
  const [revisions, setRevisions] = useState<ReadonlyMap<string, number>>(new Map());
  const [revision, setRevision] = useState(-1);
  const [problem, setProblem] = useState<string>();
  const seen = useRef({ revision: -1, isRunning: true });
  const look = async (signal: AbortSignal) => {
    try {
      const { experiments } = await service.client.revisions([id]);
      const found = experiments[0];
      if (found === undefined) throw new Error("There is no such experiment in this organization.");
      if (found.revision !== seen.current.revision) {
        const next = await service.client.experiment({ experimentId: id }, signal);
        seen.current = { revision: found.revision, isRunning: next.status === "running" };
        setRecord(next);
        setRevisions(new Map(found.series.map((one) => [one.seriesName, one.revision])));
        setRevision(found.revision);
      }
      setProblem(undefined);
    } catch (error) {
      if (!signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      return endedEveryMs;
    }
    return seen.current.isRunning ? runningEveryMs : endedEveryMs;
  };
  usePoll(look, [id]);
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
