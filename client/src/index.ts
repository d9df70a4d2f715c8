export type { Account } from "./account.ts";
export type {
  AliasOptions,
  Artifacts,
  ReadOptions,
  SignedUpload,
  SignedVersion,
} from "./artifacts.ts";
export { type Attempts, attemptText } from "./attempts.ts";
export type { AttemptOptions } from "./attempt-reports.ts";
export { hasCode, LosslessClient } from "./client.ts";
export type { ClientOptions, ExperimentIdentity } from "./client.ts";
export type { Console } from "./console.ts";
export { endpoints } from "./endpoints.ts";
export * from "./errors.ts";
// wire.ts has another one: the body of a refusal.
export { RequestError } from "./errors.ts";
export type { Exports, ExportSelection, PointsSelection } from "./exports.ts";
export { findFolder } from "./folders.ts";
export type { Folders } from "./folders.ts";
export type { Logged } from "./logged.ts";
export { freshMessageId } from "./message-id.ts";
export { metricNamed } from "./metric-name.ts";
export type { MetricName } from "./metric-name.ts";
export type { ConsoleStream, PrintingProcess } from "./line-outbox.ts";
export type { Opening } from "./opening.ts";
export type { AuditLog } from "./audit-log.ts";
export type { OrganizationSetup } from "./organization-setup.ts";
export type { People } from "./people.ts";
export { encodeMeta, pointProblem } from "./point.ts";
export type {
  FinishOptions,
  LineOptions,
  PointOptions,
  RecordedExperiment,
  RecordedOrigin,
  Recorder,
  RecorderOptions,
} from "./recorder.ts";
export type { LinesReport, RecordingReport, RejectedPoint } from "./recording-ledger.ts";
export { isTransient } from "./retry.ts";
export type { RetriedFailure, RetryObserver, RetryPolicy } from "./retry.ts";
export type { SeriesBlock, SeriesPartition, SeriesSelection } from "./series.ts";
export { isReadableOnTheWay, plainHttpNotice } from "./transport.ts";
export type { TransportOptions } from "./transport.ts";
export type { Reports } from "./reports.ts";
export type { SavedViews, SeenSaved } from "./saved-views.ts";
export type { GraphQuery, Lineage } from "./lineage.ts";
export type { Models } from "./models.ts";
export type { Workspaces } from "./workspaces.ts";
export type { SignOn } from "./sign-on.ts";
export type { Guests } from "./guests.ts";
export type { Tokens } from "./tokens.ts";
export { ruleWords, type Retention } from "./retention.ts";
export type { Trash } from "./trash.ts";
export type {
  ArtifactQuery,
  ArtifactsQuery,
  AuditQuery,
  RunFileName,
  VersionFileName,
  Views,
} from "./views.ts";
export { errorStatus, limits } from "./wire.ts";
export type { Waited, WaitOptions } from "./waiting.ts";
/** All that is sent and comes back. */
export type * from "./wire.ts";
