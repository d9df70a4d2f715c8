import type {
  AttributesResultData,
  ChangedExperiment,
  EditReply,
  ExperimentArtifactsReply,
  ExperimentRecord,
} from "@lossless/client";
import type { PageProps } from "../../../page.ts";

export interface OverviewProps extends PageProps {
  record: ExperimentRecord;
  state: ChangedExperiment;
  /** Whether the run has series; their values are read only then. */
  hasSeries: boolean;
  /** Attributes written by MLflow's clients; undefined: not read yet. */
  attributes: AttributesResultData | undefined;
  /** Undefined while they are read. */
  written: ExperimentArtifactsReply | undefined;
  onEdited: (reply: EditReply) => void;
}
