import type {
  ChangedExperiment,
  EditReply,
  ExperimentArtifactsReply,
  ExperimentRecord,
} from "@lossless/client";
import { OpenedPage } from "../../opened-page.tsx";
import type { PageProps } from "../../page.ts";
import { Loaded } from "../../parts/loaded.tsx";
import type { Annotations } from "./annotations.ts";
import { consolePage } from "./console-page.ts";
import { loadCharts } from "./load-charts.ts";
import type { ChartsWorkspace } from "../../workspace/use-workspace.ts";
import type { Tab } from "./tabs.ts";
import type { FirstMedia } from "./use-first-media.ts";
import type { Attributes } from "./use-attributes.ts";

interface Props extends PageProps {
  tab: Tab;
  record: ExperimentRecord;
  state: ChangedExperiment;
  revisions: ReadonlyMap<string, number>;
  /** Undefined while they are read. */
  written: ExperimentArtifactsReply | undefined;
  attributes: Attributes;
  workspace: ChartsWorkspace;
  media: FirstMedia;
  annotations: Annotations;
  onEdited: (reply: EditReply) => void;
  onAnnotate: (step: Promise<number | undefined> | undefined) => void;
}

/** The part of the page that the address names. */
export function OpenedTab(props: Props) {
  const { tab, record, state, revisions, written, attributes, annotations, service } = props;
  const { location, workspace, media, onEdited, onAnnotate } = props;
  const shared = { service, location };
  switch (tab) {
    case "overview":
      return (
        <Loaded
          load={loadOverview}
          props={{
            ...shared,
            record,
            state,
            written,
            onEdited,
            hasSeries: revisions.size > 0,
            attributes: attributes.found,
          }}
        />
      );
    case "charts":
      return (
        <Loaded
          load={loadCharts}
          props={{
            ...shared,
            record,
            revisions,
            written,
            workspace,
            media,
            onAnnotate,
            revision: state.revision,
            annotations: annotations.found,
            training: attributes.found,
          }}
        />
      );
    case "console":
      return <OpenedPage page={consolePage} {...shared} id={record.experimentId} />;
    case "meta":
      return (
        <Loaded
          load={loadMeta}
          props={{ ...shared, record, onEdited, attributes: attributes.found }}
        />
      );
    case "artifacts":
      return (
        <Loaded
          load={loadArtifacts}
          props={{
            ...shared,
            written,
            attributes,
            experimentId: record.experimentId,
            state,
            seriesNames: [...revisions.keys()],
            annotations: annotations.found?.annotations,
          }}
        />
      );
    case "annotations":
      return <Loaded load={loadAnnotations} props={annotations} />;
  }
}

const loadOverview = () =>
  import("./overview/overview-tab.tsx").then(({ OverviewTab }) => OverviewTab);
const loadMeta = () => import("./meta-tab.tsx").then(({ MetaTab }) => MetaTab);
const loadArtifacts = () => import("./artifacts-tab.tsx").then(({ ArtifactsTab }) => ArtifactsTab);
const loadAnnotations = () =>
  import("./annotations-tab.tsx").then(({ AnnotationsTab }) => AnnotationsTab);
