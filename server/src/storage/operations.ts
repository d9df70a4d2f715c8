import {
  beginUpload,
  readCandidates,
  uploadFailed,
  uploadStarted,
} from "../artifacts/rows/begin.ts";
import {
  acceptEtags,
  commitUpload,
  completeUpload,
  readUpload,
  reopenUpload,
} from "../artifacts/rows/commit.ts";
import { rememberDirectory } from "../artifacts/rows/directory.ts";
import { listArtifacts, listVersions } from "../artifacts/rows/list.ts";
import { readNote, writeNote } from "../artifacts/rows/note.ts";
import { openArtifact } from "../artifacts/rows/open.ts";
import { countReads } from "../artifacts/rows/read-usage.ts";
import {
  countRemovals,
  dueRemovals,
  expireUploads,
  findUploads,
  forgetUploads,
  listRemovals,
  readRemoval,
  removalDone,
  removalFailed,
} from "../artifacts/rows/removal.ts";
import { readSentFiles } from "../artifacts/rows/sent-files.ts";
import { readUploadState } from "../artifacts/rows/upload-state.ts";
import { noteExperiments } from "../artifacts/rows/writing-experiment.ts";
import { readVersion } from "../artifacts/rows/version.ts";
import { readAudit } from "../database/audit/audit.ts";
import { takeLease } from "./background/lease.ts";
import type { WalkContext } from "../ground/walk.ts";
import { completeConnection, refuseConnection } from "../places/rows/connections/complete.ts";
import { createConnection } from "../places/rows/connections/create.ts";
import { removeConnection } from "../places/rows/connections/remove.ts";
import { findConnection, listConnections } from "../places/rows/connections/stored-connection.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { readFile } from "../artifacts/rows/mlflow/file.ts";
import * as leftFiles from "../artifacts/rows/mlflow/left-uploads.ts";
import { listFiles } from "../artifacts/rows/mlflow/list.ts";
import { pageFiles } from "../artifacts/rows/mlflow/page.ts";
import { readFileUpload } from "../artifacts/rows/mlflow/parts.ts";
import { deleteFiles } from "../artifacts/rows/mlflow/remove.ts";
import { beginFile, commitFile, fileFailed } from "../artifacts/rows/mlflow/write.ts";
import { annotateExperiment } from "../experiments/annotate.ts";
import { completeExperiment } from "../experiments/done.ts";
import { editExperiment } from "../experiments/edit.ts";
import { failExperiment } from "../experiments/error.ts";
import { moveExperiment } from "../experiments/move.ts";
import { noteOnExperiment } from "../experiments/note.ts";
import { openExperiment } from "../experiments/open.ts";
import { queryAnnotations } from "../experiments/query-annotations.ts";
import { queryExperiment } from "../experiments/query-experiment.ts";
import { queryExperiments } from "../experiments/query-experiments.ts";
import { startExperiment } from "../experiments/start.ts";
import { refreshToken } from "../experiments/token-refresh.ts";
import { revokeToken } from "../experiments/token-revoke.ts";
import { createFolder } from "../experiments/folders/create.ts";
import { deleteFolder } from "../experiments/folders/delete.ts";
import { readFolderTree } from "../experiments/folders/tree.ts";
import { updateFolder } from "../experiments/folders/update.ts";
import { addKeys } from "../places/rows/issuer/add.ts";
import { readKeys } from "../places/rows/issuer/key.ts";
import { forgetKeys, rotateKeys } from "../places/rows/issuer/rotate.ts";
import { addLocation } from "../places/rows/locations/add.ts";
import { ensureBuiltInLocations } from "../places/rows/locations/built-in.ts";
import { listLocations } from "../places/rows/locations/location.ts";
import { provisionLocations } from "../places/rows/locations/provisioned.ts";
import { updateLocation } from "../places/rows/locations/update.ts";
import { readUsage } from "../places/rows/locations/usage.ts";
import { provisionSignOn } from "../accounts/rows/sign-on/provisioned.ts";
import {
  offeredSignOns,
  readSignOn,
  removeSignOn,
  setSignOn,
} from "../accounts/rows/sign-on/setting.ts";
import { scimReads, scimWrites } from "../accounts/rows/sign-on/scim/operations.ts";
import { createServiceAccount } from "../accounts/rows/people/service-account.ts";
import {
  createToken,
  endToken,
  listTokens,
  noteTokenUse,
} from "../accounts/rows/people/personal-tokens.ts";
import { signInByProvider } from "../accounts/rows/sign-on/sign-in.ts";
import { queryCatalog } from "../experiments/series/catalog.ts";
import { queryRevisions, type RevisionContext } from "../experiments/series/revisions.ts";
import { grantCode, redeemCode } from "../accounts/rows/oauth/code.ts";
import { redeemDevice, startDevice } from "../accounts/rows/oauth/device.ts";
import { endListedGrant, listGrants, noteGrantUse } from "../accounts/rows/oauth/grant-list.ts";
import { refreshPair } from "../accounts/rows/oauth/refresh.ts";
import { revokeGrant } from "../accounts/rows/oauth/revoke.ts";
import { answerDevice, enterUserCode } from "../accounts/rows/oauth/user-code-entry.ts";
import { findCredential } from "../accounts/rows/organizations/credential.ts";
import {
  createKey,
  listLivingKeys,
  noteKeyUse,
  revokeKey,
} from "../accounts/rows/organizations/keys.ts";
import { listOrganizations } from "../accounts/rows/organizations/organization.ts";
import { provision } from "../accounts/rows/organizations/provision.ts";
import { acceptInvitation, findInvitation } from "../accounts/rows/people/accept-invitation.ts";
import { bootstrap } from "../accounts/rows/people/bootstrap.ts";
import { eraseOneself } from "../accounts/rows/people/erase.ts";
import { forgetEnded } from "../accounts/rows/people/forget-ended.ts";
import {
  createInvitation,
  listInvitations,
  revokeInvitation,
} from "../accounts/rows/people/invitations.ts";
import { changeRole, listPeople, removePerson } from "../accounts/rows/people/memberships.ts";
import { changePassword, readPassword } from "../accounts/rows/people/password.ts";
import { provisionedPasswords, provisionPeople } from "../accounts/rows/people/provision.ts";
import { findForSignIn, livingOrganizations } from "../accounts/rows/people/person.ts";
import { showInvitation } from "../accounts/rows/people/shown-invitation.ts";
import {
  endListedSession,
  listSessions,
  noteSessionUse,
} from "../accounts/rows/people/session-list.ts";
import {
  createSession,
  endSession,
  noteRefusal,
  switchOrganization,
} from "../accounts/rows/people/sessions.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { listQuotas } from "../database/quotas/quota.ts";
import { dropPoints } from "../points/drop-points.ts";
import { forgetGarbage, replaceSegments, sealLog, trimLog } from "../points/manifest.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { countNonfiniteBefore } from "../experiments/nonfinite.ts";
import { indexConfigs } from "../experiments/summaries/config-index.ts";
import { enter } from "../experiments/summaries/dictionary.ts";
import { deleteRunTag, markRun, updateRun } from "../experiments/mlflow/change.ts";
import {
  allowLocations,
  provisionAllowedLocations,
} from "../experiments/mlflow/allowed-locations.ts";
import {
  createRunFolder,
  deleteFolderTag,
  markRunFolder,
  renameRunFolder,
  setFolderTag,
} from "../experiments/mlflow/change-folder.ts";
import { createRun } from "../experiments/mlflow/create.ts";
import { addInputs, addOutputs } from "../experiments/mlflow/inputs.ts";
import { logRun } from "../experiments/mlflow/log.ts";
import { recordModel } from "../experiments/mlflow/model-history.ts";
import { queryAttributes } from "../experiments/mlflow/query-attributes.ts";
import { runReads } from "../experiments/mlflow/reads.ts";
import {
  deleteModel,
  deleteModelTag,
  describeModel,
  finalizeModel,
} from "../experiments/mlflow/models/change.ts";
import { createModel } from "../experiments/mlflow/models/create.ts";
import { readModel } from "../experiments/mlflow/models/read.ts";
import { searchModels } from "../experiments/mlflow/models/search.ts";
import type { Recording } from "../experiments/mlflow/recording.ts";
import type { PointsReader } from "../experiments/summaries/lasts.ts";
import { changeSaved, createSaved, deleteSaved } from "../experiments/saved/keep.ts";
import { listSaved, readSaved } from "../experiments/saved/saved.ts";
import { beginRecount, foldSummaries } from "../experiments/summaries/fold.ts";
import {
  retentionReads,
  retentionReplies,
  retentionWrites,
} from "../trash/retention/operations.ts";
import { trashReads, trashWrites } from "../trash/operations.ts";
import { readArtifacts } from "../views/artifacts/list.ts";
import { readArtifact } from "../views/artifacts/one.ts";
import { readOverview } from "../views/charts/overview.ts";
import { readPoints } from "../views/charts/points.ts";
import type { ViewContext } from "../views/charts/selected-partitions.ts";
import { readMarks, readStates } from "../views/changes.ts";
import { readNewAnnotations } from "../views/new-annotations.ts";
import { readDifference } from "../views/difference/difference.ts";
import { readAuditTerms, readAuditView } from "../views/organization/audit.ts";
import { readUsageView } from "../views/organization/usage.ts";
import { readFields } from "../views/table/fields.ts";
import { readFolders } from "../views/table/folders.ts";
import { readTable } from "../views/table/table.ts";
import { readExperimentArtifacts } from "../views/experiment-artifacts.ts";
import { readAmounts } from "./amounts.ts";
import { masterKeysInUse } from "./sealed-secrets.ts";

/** What a write operation gets besides its input. */
export type OperationContext = Counting & Recording;
/** What a read that is passed on gets besides its input. */
export type ReadContext = WalkContext &
  RevisionContext &
  Required<Omit<ViewContext, "signal">> &
  PointsReader;
/**
 * Every operation of the domain by its wire-independent name: that of the event without its prefix,
 * where there is one. A function cannot be sent to a thread, its name can: the writer runs
 * `writeOperations`, a reader runs `readOperations` and `replyOperations`.
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
  "experiment.edit": editExperiment,
  "experiment.note": noteOnExperiment,
  "organization.provision": provision,
  "organization.bootstrap": bootstrap,
  "apiKey.create": createKey,
  "apiKey.revoke": revokeKey,
  "apiKey.used": noteKeyUse,
  "person.provision": provisionPeople,
  "session.create": createSession,
  "session.refused": noteRefusal,
  "session.end": endSession,
  "session.switch": switchOrganization,
  "session.endOne": endListedSession,
  "session.used": noteSessionUse,
  "password.change": changePassword,
  "membership.change": changeRole,
  "membership.end": removePerson,
  "invitation.create": createInvitation,
  "invitation.revoke": revokeInvitation,
  "invitation.accept": acceptInvitation,
  "person.erase": eraseOneself,
  "people.forgetEnded": forgetEnded,
  "personalToken.create": createToken,
  "personalToken.revoke": endToken,
  "personalToken.used": noteTokenUse,
  "serviceAccount.create": createServiceAccount,
  "signOn.set": setSignOn,
  "signOn.provision": provisionSignOn,
  "signOn.remove": removeSignOn,
  "signOn.signIn": signInByProvider,
  ...scimWrites,
  "artifact.open": openArtifact,
  "upload.begin": beginUpload,
  "upload.started": uploadStarted,
  "upload.failed": uploadFailed,
  "upload.complete": completeUpload,
  "upload.accept": acceptEtags,
  "upload.reopen": reopenUpload,
  "upload.commit": commitUpload,
  "note.write": writeNote,
  "usage.count": countReads,
  "artifacts.directory": rememberDirectory,
  "removal.done": removalDone,
  "removal.failed": removalFailed,
  "upload.expire": expireUploads,
  "upload.forget": forgetUploads,
  "oauth.grantCode": grantCode,
  "oauth.redeemCode": redeemCode,
  "oauth.refresh": refreshPair,
  "oauth.revoke": revokeGrant,
  "oauth.endOne": endListedGrant,
  "oauth.used": noteGrantUse,
  "oauth.startDevice": startDevice,
  "oauth.redeemDevice": redeemDevice,
  "oauth.enterUserCode": enterUserCode,
  "oauth.answerDevice": answerDevice,
  "connection.create": createConnection,
  "connection.complete": completeConnection,
  "connection.refused": refuseConnection,
  "connection.remove": removeConnection,
  "location.add": addLocation,
  "location.update": updateLocation,
  "location.ensureBuiltIn": ensureBuiltInLocations,
  "location.provision": provisionLocations,
  "issuer.add": addKeys,
  "issuer.rotate": rotateKeys,
  "issuer.forget": forgetKeys,
  "points.seal": sealLog,
  "points.replace": replaceSegments,
  "points.drop": dropPoints,
  "points.trim": trimLog,
  "points.forgetGarbage": forgetGarbage,
  "summaries.enter": enter,
  "summaries.fold": foldSummaries,
  "summaries.recount": beginRecount,
  "summaries.index": indexConfigs,
  "experiment.countNonfinite": countNonfiniteBefore,
  "versions.noteExperiments": noteExperiments,
  "saved.create": createSaved,
  "saved.change": changeSaved,
  "saved.delete": deleteSaved,
  ...trashWrites,
  ...retentionWrites,
  "run.create": createRun,
  "run.update": updateRun,
  "run.mark": markRun,
  "run.deleteTag": deleteRunTag,
  "run.log": logRun,
  "run.inputs": addInputs,
  "run.outputs": addOutputs,
  "run.recordModel": recordModel,
  "run.createFolder": createRunFolder,
  "run.allowLocations": allowLocations,
  "run.provisionLocations": provisionAllowedLocations,
  "run.renameFolder": renameRunFolder,
  "run.markFolder": markRunFolder,
  "run.setFolderTag": setFolderTag,
  "run.deleteFolderTag": deleteFolderTag,
  "model.create": createModel,
  "model.finalize": finalizeModel,
  "model.delete": deleteModel,
  "model.describe": describeModel,
  "model.deleteTag": deleteModelTag,
  "file.begin": beginFile,
  "file.commit": commitFile,
  "file.failed": fileFailed,
  "file.delete": deleteFiles,
  "file.expire": leftFiles.expireFiles,
  "file.removed": leftFiles.fileRemoved,
  "file.notRemoved": leftFiles.fileNotRemoved,
  "background.lease": takeLease,
} satisfies Record<
  string,
  (transaction: Transaction, input: never, context: OperationContext) => Promise<unknown>
>;

export const readOperations = {
  "credential.find": findCredential,
  "person.find": findForSignIn,
  "person.organizations": livingOrganizations,
  "personalToken.list": listTokens,
  "signOn.read": readSignOn,
  "signOn.offered": offeredSignOns,
  ...scimReads,
  "password.read": readPassword,
  "session.list": listSessions,
  "oauth.list": listGrants,
  "invitation.find": findInvitation,
  "invitation.show": showInvitation,
  "connection.find": findConnection,
  "note.read": readNote,
  "organization.list": listOrganizations,
  "quota.list": listQuotas,
  "apiKey.list": listLivingKeys,
  "audit.read": readAudit,
  "person.provisioned": provisionedPasswords,
  "membership.list": listPeople,
  "invitation.list": listInvitations,
  "connection.list": listConnections,
  "location.list": listLocations,
  "masterKey.inUse": masterKeysInUse,
  "issuer.keys": readKeys,
  "artifact.list": listArtifacts,
  "version.read": readVersion,
  "version.list": listVersions,
  "upload.candidates": readCandidates,
  "upload.read": readUpload,
  "upload.state": readUploadState,
  "upload.sent": readSentFiles,
  "removal.due": dueRemovals,
  "removal.list": listRemovals,
  "removal.read": readRemoval,
  "removal.counts": countRemovals,
  "upload.find": findUploads,
  "file.read": readFile,
  "file.upload": readFileUpload,
  "file.list": listFiles,
  "file.page": pageFiles,
  "file.due": leftFiles.dueFiles,
  "file.find": leftFiles.findFiles,
  "views.states": readStates,
  "views.marks": readMarks,
  "views.experimentArtifacts": readExperimentArtifacts,
  "saved.list": listSaved,
  "saved.read": readSaved,
  "views.audit": readAuditView,
  "views.auditTerms": readAuditTerms,
  "installation.amounts": readAmounts,
  ...trashReads,
  ...retentionReads,
  ...runReads,
  "model.read": readModel,
  "model.search": searchModels,
} satisfies Record<
  string,
  (reader: Reader, input: never, context: ReadContext) => Promise<unknown>
>;

/** Reads whose result is passed on: each writes the JSON of it, metas as they are stored. */
export const replyOperations = {
  "query.experiment": queryExperiment,
  "foldertree.read": readFolderTree,
  "query.experiments": queryExperiments,
  "query.catalog": queryCatalog,
  "query.annotations": queryAnnotations,
  "query.attributes": queryAttributes,
  "query.revisions": queryRevisions,
  "usage.read": readUsage,
  "views.overview": readOverview,
  "views.points": readPoints,
  "views.table": readTable,
  "views.fields": readFields,
  "views.folders": readFolders,
  "views.newAnnotations": readNewAnnotations,
  "views.artifacts": readArtifacts,
  "views.artifact": readArtifact,
  "views.difference": readDifference,
  "views.usage": readUsageView,
  ...retentionReplies,
} satisfies Record<
  string,
  (
    reader: Reader,
    input: never,
    text: ReplyText,
    context: ReadContext,
  ) => Promise<void | (() => Promise<void>)>
>;

export type WriteOperations = typeof writeOperations;
export type ReadOperations = typeof readOperations;
export type ReplyOperations = typeof replyOperations;
