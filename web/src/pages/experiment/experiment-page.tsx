import { useEffect, useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { AnnotateDialog } from "./annotate-dialog.tsx";
import { AnnotationsTab } from "./annotations-tab.tsx";
import { ChartsTab } from "./charts-tab.tsx";
import { useFolderPath } from "./folder-path.ts";
import { HeadActions } from "./head-actions.tsx";
import { Head } from "./head.tsx";
import { MetaTab } from "./meta-tab.tsx";
import { useExperiment } from "./use-experiment.ts";

/** `/experiments/{experimentId}` */
export function ExperimentPage({ id, service, location }: PathProps) {
  const { record, state, revisions, edited } = useExperiment(service, id);
  const [annotating, setAnnotating] = useState<{ step: Promise<number | undefined> | undefined }>();
  const folder = useFolderPath(service, record?.folderId ?? null);
  const problem = service.changes.problem.value;
  useEffect(() => {
    document.title = `${record?.slug ?? "Experiment"} · Lossless`;
  }, [record?.slug]);
  if (record === undefined || state === undefined)
    return <p class="waiting">{problem ?? "Reading the experiment …"}</p>;
  const tab = location.parameter("tab") ?? "charts";
  const annotate = (step?: Promise<number | undefined>) => setAnnotating({ step });
  return (
    <main class="experiment">
      <Head {...{ record, state, problem, folder }} />
      <div class="parts">
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
        <HeadActions {...{ service, record, onEdited: edited }} onAnnotate={() => annotate()} />
      </div>
      {tab === "charts" && (
        <ChartsTab
          {...{ record, revision: state.revision, revisions, service, location }}
          onAnnotate={annotate}
        />
      )}
      {tab === "meta" && <MetaTab {...{ record, service, location }} onEdited={edited} />}
      {tab === "annotations" && (
        <AnnotationsTab id={id} revision={state.revision} service={service} />
      )}
      {annotating !== undefined && (
        <AnnotateDialog
          {...{ service, experimentId: id, step: annotating.step }}
          onClose={() => setAnnotating(undefined)}
        />
      )}
    </main>
  );
}
