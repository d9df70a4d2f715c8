import {
  countRemovals,
  dueRemovals,
  expireUploads,
  findUploads,
  removalDone,
  removalFailed,
} from "../artifacts/removal.ts";
import type { Moment } from "../clock.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { annotateExperiment } from "../experiments/annotate.ts";
import { completeExperiment } from "../experiments/done.ts";
import { failExperiment } from "../experiments/error.ts";
import { moveExperiment } from "../experiments/move.ts";
import { openExperiment } from "../experiments/open.ts";
import { queryAnnotations } from "../experiments/query-annotations.ts";
import { queryExperiment } from "../experiments/query-experiment.ts";
import { queryExperiments } from "../experiments/query-experiments.ts";
import { startExperiment } from "../experiments/start.ts";
import { refreshToken } from "../experiments/token-refresh.ts";
import { revokeToken } from "../experiments/token-revoke.ts";
import { createFolder } from "../folders/create.ts";
import { deleteFolder } from "../folders/delete.ts";
import { readFolderTree } from "../folders/tree.ts";
import { updateFolder } from "../folders/update.ts";
import { queryCatalog } from "../metrics/catalog.ts";
import { queryRevisions, type RevisionContext } from "../metrics/revisions.ts";
import { findCredential } from "../organizations/credential.ts";
import { createKey, listKeys, noteKeyUse, revokeKey } from "../organizations/keys.ts";
import { listOrganizations } from "../organizations/organization.ts";
import { bootstrap, provision } from "../organizations/provision.ts";
import { forgetGarbage, replaceSegments, sealLog, trimLog } from "../points/manifest.ts";
import { takeLease } from "./lease.ts";

/** What a write operation gets besides its input. */
export type OperationContext = Moment;
/** What a read operation gets besides its input. */
export type ReadContext = Moment & RevisionContext;

/**
 * Every operation of the domain by its wire-independent name: that of the event without its prefix, where there
 * is one. A function cannot be sent to a thread, its name can: the writer runs `writeOperations`, the reader
 * runs `readOperations`.
 *
 * A write operation runs in an attempt: when it throws, what it wrote before is undone.
 */
export const writeOperations = {
  "folder.create": createFolder,
  "folder.update": updateFolder,
  "folder.delete": deleteFolder,
  "experiment.open": openExperiment,
  "experiment.tokenRefresh": refreshToken,
  "experiment.move": moveExperiment,
  "experiment.start": startExperiment,
  "experiment.done": completeExperiment,
  "experiment.error": failExperiment,
  "experiment.annotate": annotateExperiment,
  "experiment.tokenRevoke": revokeToken,
  "organization.provision": provision,
  "organization.bootstrap": bootstrap,
  "apiKey.create": createKey,
  "apiKey.revoke": revokeKey,
  "apiKey.used": noteKeyUse,
  "removal.done": removalDone,
  "removal.failed": removalFailed,
  "upload.expire": expireUploads,
  "points.seal": sealLog,
  "points.replace": replaceSegments,
  "points.trim": trimLog,
  "points.forgetGarbage": forgetGarbage,
  "background.lease": takeLease,
} satisfies Record<
  string,
  (transaction: Transaction, input: never, context: OperationContext) => Promise<unknown>
>;

export const readOperations = {
  "foldertree.read": readFolderTree,
  "query.experiment": queryExperiment,
  "query.experiments": queryExperiments,
  "query.catalog": queryCatalog,
  "query.annotations": queryAnnotations,
  "query.revisions": queryRevisions,
  "credential.find": findCredential,
  "organization.list": listOrganizations,
  "apiKey.list": listKeys,
  "removal.due": dueRemovals,
  "removal.counts": countRemovals,
  "upload.find": findUploads,
} satisfies Record<
  string,
  (reader: Reader, input: never, context: ReadContext) => Promise<unknown>
>;

export type WriteOperations = typeof writeOperations;
export type ReadOperations = typeof readOperations;
