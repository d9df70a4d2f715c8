import type {
  ChangedExperiment,
  EditReply,
  ExperimentArtifactsReply,
  ExperimentRecord,
} from "@lossless/client";
import { OpenedPage } from "../../opened-page.tsx";
import type { PageProps } from "../../page.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { AnnotationsTab } from "./annotations-tab.tsx";
import type { Annotations } from "./annotations.ts";
import { ArtifactsTab } from "./artifacts-tab.tsx";
import { ChartsTab } from "./charts-tab.tsx";
import { consolePage } from "./console-page.ts";
import { MetaTab } from "./meta-tab.tsx";
import type { Tab } from "./tabs.ts";
import type { Attributes } from "./use-attributes.ts";

interface Props extends PageProps {
  tab: Tab;
  record: ExperimentRecord;
  state: ChangedExperiment;
  revisions: ReadonlyMap<string, number>;
  /** Undefined while they are read. */
  written: ExperimentArtifactsReply | undefined;
  attributes: Attributes;
  annotations: Annotations;
  onEdited: (reply: EditReply) => void;
  onAnnotate: (step: Promise<number | undefined> | undefined) => void;
}

/** The part of the page that the address names. */
export function OpenedTab(props: Props) {
  const { tab, record, state, revisions, written, attributes, annotations, service } = props;
  const { location, onEdited, onAnnotate } = props;
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
        <ChartsTab
          {...{ ...shared, record, revisions, written, onAnnotate }}
          revision={state.revision}
          annotations={annotations.found}
          training={attributes.found}
        />
      );
    case "console":
      return <OpenedPage page={consolePage} {...shared} id={record.experimentId} />;
    case "meta":
      return <MetaTab {...{ ...shared, record, onEdited }} attributes={attributes.found} />;
    case "artifacts":
      return (
        <ArtifactsTab {...{ ...shared, written, attributes }} experimentId={record.experimentId} />
      );
    case "annotations":
      return <AnnotationsTab {...annotations} />;
  }
}

const loadOverview = () =>
  import("./overview/overview-tab.tsx").then(({ OverviewTab }) => OverviewTab);
