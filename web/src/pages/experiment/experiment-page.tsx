import type { ExperimentArtifactsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { countText } from "../../parts/words.ts";
import { AnnotateDialog } from "./annotate-dialog.tsx";
import { AnnotationsTab } from "./annotations-tab.tsx";
import { useAnnotations } from "./annotations.ts";
import { ArtifactsTab } from "./artifacts-tab.tsx";
import { ChartsTab } from "./charts-tab.tsx";
import { readFolders, useFolderPath } from "./folder-path.ts";
import { HeadActions } from "./head-actions.tsx";
import { Head } from "./head.tsx";
import { MetaTab } from "./meta-tab.tsx";
import { useAttributes } from "./use-attributes.ts";
import { useExperiment } from "./use-experiment.ts";
import { useVersions } from "./versions.ts";

/** `/experiments/{experimentId}` */
export function ExperimentPage({ id, service, location }: PathProps) {
  const { record, state, revisions, edited } = useExperiment(service, id);
  const [annotating, setAnnotating] = useState<{ step: Promise<number | undefined> | undefined }>();
  const folder = useFolderPath(record?.folderId ?? null, (stopped) =>
    readFolders(service, stopped),
  );
  const annotations = useAnnotations(service, id, state?.revision ?? 0);
  const written = useVersions(service, id, annotations.found?.annotations);
  const attributes = useAttributes(service, id, state?.revision);
  const problem = service.changes.problem.value;
  const slug = attributes.isAsked ? record?.slug : undefined;
  const name = attributes.found?.name ?? slug;
  const titleName = name === slug ? name : `${name} · ${slug}`;
  useEffect(() => {
    document.title = `${(slug && titleName) ?? "Experiment"} · Lossless`;
  }, [slug, titleName]);
  if (record === undefined || state === undefined || !attributes.isAsked)
    return <p class="waiting">{problem ?? "Loading the experiment …"}</p>;
  const tab = location.parameter("tab") ?? "charts";
  const annotate = (step?: Promise<number | undefined>) => setAnnotating({ step });
  return (
    <main class="experiment">
      <Head {...{ record, state, problem, folder }} attributes={attributes.found} />
      <div class="parts">
        <nav class="tabs" aria-label="Parts of the experiment">
          {["charts", "meta", "artifacts", "annotations"].map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={tab === each}
              onClick={() => location.change({ tab: each === "charts" ? undefined : each }, true)}
            >
              {each}
              {each === "artifacts" && countIn(written)}
            </button>
          ))}
        </nav>
        <HeadActions
          {...{ service, location, record, name: name!, onEdited: edited }}
          onAnnotate={() => annotate()}
          onDeleted={() => location.open("/experiments")}
        />
      </div>
      {tab === "charts" && (
        <ChartsTab
          {...{ record, revision: state.revision, revisions, written, service, location }}
          {...{ annotations: annotations.found, training: attributes.found }}
          onAnnotate={annotate}
        />
      )}
      {tab === "meta" && (
        <MetaTab
          {...{ record, service, location }}
          attributes={attributes.found}
          onEdited={edited}
        />
      )}
      {tab === "artifacts" && (
        <ArtifactsTab experimentId={id} {...{ written, attributes, service, location }} />
      )}
      {tab === "annotations" && <AnnotationsTab {...annotations} />}
      {annotating !== undefined && (
        <AnnotateDialog
          {...{ service, experimentId: id, step: annotating.step }}
          onClose={() => setAnnotating(undefined)}
        />
      )}
    </main>
  );
}

function countIn(written: ExperimentArtifactsReply | undefined): string {
  if (written === undefined || written.versions.length === 0) return "";
  return ` (${countText(written.versions.length)}${written.truncated ? "+" : ""})`;
}
