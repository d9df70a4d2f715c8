import type { Message, MlflowServer } from "./mlflow-server.ts";

/** Reads of MLflow's data: from a server, or from the files that one has left. */
export type MlflowSource = Pick<
  MlflowServer,
  "url" | "get" | "post" | "search" | "pages" | "file" | "modelFile"
>;

export interface StoredExperiment {
  id: string;
  name: string;
  tags: Message[];
}

export interface StoredRun {
  /** As MLflow's server returns it: info, data, inputs, outputs. */
  message: Message;
  /** Directory of its files; undefined if they are elsewhere. */
  files: string | undefined;
  /** Where MLflow says that its files are. */
  artifactUri: string;
}

export interface StoredModel {
  message: Message;
  files: string | undefined;
  artifactUri: string;
}

/** A directory `mlruns`, or a database of MLflow, read without its server. */
export interface MlflowStore extends AsyncDisposable {
  /** Active experiments, and the active runs of one. */
  experiments(): Promise<StoredExperiment[]>;
  runs(experimentId: string): Promise<StoredRun[]>;
  /** Every value of a metric of a run, in the order of storage. */
  history(runId: string, key: string): Promise<Message[]>;
  models(experimentId: string): Promise<StoredModel[]>;
  /** Places that could not be read, and are left out. */
  readonly problems: readonly string[];
}
