import type { ExperimentArtifactsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import type { PageProps, PathProps } from "../../page.ts";
import { countText } from "../../parts/words.ts";
import { AnnotateDialog } from "./annotate-dialog.tsx";
import { useListedAnnotations } from "./annotations.ts";
import { readFolders, useFolderPath } from "./folder-path.ts";
import { HeadActions } from "./head-actions.tsx";
import { Head } from "./head.tsx";
import { useChartsPart } from "./use-charts-part.ts";
import { OpenedTab } from "./opened-tab.tsx";
import { TabKeys } from "./tab-keys.tsx";
import { shownTabs, type Tab, tabOf } from "./tabs.ts";
import { useAttributes } from "./use-attributes.ts";
import { useFirstMedia } from "./use-first-media.ts";
import { gone, useExperiment } from "./use-experiment.ts";
import { useVersions } from "./versions.ts";

/** `/experiments/{experimentId}` */
export function ExperimentPage({ id, service, location }: PathProps) {
  const { record, state, revisions, edited } = useExperiment(service, id);
  const [annotating, setAnnotating] = useState<{ step: Promise<number | undefined> | undefined }>();
  const folder = useFolderPath(record?.folderId ?? null, (stopped) =>
    readFolders(service, stopped),
  );
  const tab = tabOf((parameter) => location.parameter(parameter));
  const revision = state?.revision ?? 0;
  const annotations = useListedAnnotations(service, id, revision, tab === "annotations");
  const written = useVersions(service, id, annotations.found?.annotations);
  const attributes = useAttributes(service, id, state?.revision);
  const media = useFirstMedia({ service, location }, id, tab === "charts" ? revision : undefined);
  const problem = service.changes.problem.value;
  const slug = attributes.isAsked ? record?.slug : undefined;
  const name = attributes.found?.name ?? slug;
  const titleName = name === slug ? name : `${name} · ${slug}`;
  const workspace = useChartsPart({ service, location }, tab === "charts", record);
  useEffect(() => {
    // A link from before there was an overview: without its zoom it has to stay what it is.
    if (tab === "charts" && location.parameter("tab") === undefined) location.change({ tab });
  }, [tab]);
  useEffect(() => {
    document.title = `${(slug && titleName) ?? "Experiment"} · Lossless`;
  }, [slug, titleName]);
  if (record === undefined || state === undefined || !attributes.isAsked)
    return problem === gone ? (
      <Gone />
    ) : (
      <p class="waiting">{problem ?? "Loading the experiment …"}</p>
    );
  const annotate = (step?: Promise<number | undefined>) => setAnnotating({ step });
  return (
    <main class="experiment">
      <Head
        {...{ service, record, state, problem, folder }}
        attributes={attributes.found}
        hasNotes={tab !== "overview"}
      />
      <div class="parts">
        <Tabs {...{ service, location, tab, written }} />
        {service.visit === undefined && (
          <HeadActions
            {...{ service, location, record, name: name!, onEdited: edited }}
            onAnnotate={() => annotate()}
            onDeleted={() => location.open("/experiments")}
          />
        )}
      </div>
      <TabKeys {...{ tab, location }} />
      <OpenedTab
        {...{ tab, record, state, revisions, written, attributes, workspace, media }}
        {...{ service, location }}
        annotations={annotations}
        onEdited={edited}
        onAnnotate={annotate}
      />
      {annotating !== undefined && (
        <AnnotateDialog
          {...{ service, experimentId: id, step: annotating.step }}
          onClose={() => setAnnotating(undefined)}
        />
      )}
    </main>
  );
}

interface TabsProps extends PageProps {
  tab: Tab;
  written: ExperimentArtifactsReply | undefined;
}

function Tabs({ service, location, tab, written }: TabsProps) {
  return (
    <nav class="tabs" aria-label="Parts of the experiment">
      {shownTabs(service.visit).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={tab === each}
          onClick={() => location.change({ tab: each }, true)}
        >
          {each}
          {each === "artifacts" && countIn(written)}
        </button>
      ))}
    </nav>
  );
}

function countIn(written: ExperimentArtifactsReply | undefined): string {
  if (written === undefined || written.versions.length === 0) return "";
  return ` (${countText(written.versions.length)}${written.truncated ? "+" : ""})`;
}

function Gone() {
  return (
    <main class="failure">
      <h1>{gone}</h1>
      <p>It was deleted, or it belongs to another organization.</p>
      <p>
        <a href="/experiments">Show all experiments</a>
      </p>
    </main>
  );
}
