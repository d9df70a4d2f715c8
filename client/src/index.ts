export { hasCode, LosslessClient } from "./client.ts";
export type { ClientOptions, ExperimentIdentity } from "./client.ts";
export * from "./errors.ts";
export { findFolder } from "./folders.ts";
export type { Folders } from "./folders.ts";
export type { Opening } from "./opening.ts";
export type { FinishOptions, PointOptions, Recorder, RecorderOptions } from "./recorder.ts";
export type { RecordingReport, RejectedPoint } from "./recording-ledger.ts";
export { isTransient } from "./retry.ts";
export type { RetryPolicy } from "./retry.ts";
export type { SeriesBlock, SeriesPartition, SeriesSelection } from "./series.ts";
export type { TransportOptions } from "./transport.ts";
export { errorStatus, limits } from "./wire.ts";
export type {
  Annotation,
  AnnotationsResultData,
  AuthStatus,
  CatalogResultData,
  CatalogSeries,
  ErrorCode,
  ExperimentNode,
  ExperimentOpenedData,
  ExperimentRecord,
  ExperimentRevision,
  ExperimentsResultData,
  FilterPredicate,
  Folder,
  FolderNode,
  FolderTree,
  Organization,
  RevisionsResultData,
} from "./wire.ts";
