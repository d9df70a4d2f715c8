import { beginUpload, readCandidates, uploadFailed, uploadStarted } from "../artifacts/begin.ts";
import {
  acceptEtags,
  commitUpload,
  completeUpload,
  readUpload,
  reopenUpload,
} from "../artifacts/commit.ts";
import { rememberDirectory } from "../artifacts/directory.ts";
import { listArtifacts, listVersions } from "../artifacts/list.ts";
import { readNote, writeNote } from "../artifacts/note.ts";
import { openArtifact } from "../artifacts/open.ts";
import { countReads } from "../artifacts/read-usage.ts";
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
} from "../artifacts/removal.ts";
import { readSentFiles } from "../artifacts/sent-files.ts";
import { readUploadState } from "../artifacts/upload-state.ts";
import { noteExperiments } from "../artifacts/writing-experiment.ts";
import { readVersion } from "../artifacts/version.ts";
import { readAudit } from "../audit/audit.ts";
import { takeLease } from "../background/lease.ts";
import type { WalkContext } from "../ground/walk.ts";
import { completeConnection, refuseConnection } from "../connections/complete.ts";
import { createConnection } from "../connections/create.ts";
import { removeConnection } from "../connections/remove.ts";
import { findConnection, listConnections } from "../connections/stored-connection.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { readFile } from "../files/file.ts";
import * as leftFiles from "../files/left-uploads.ts";
import { listFiles } from "../files/list.ts";
import { pageFiles } from "../files/page.ts";
import { readFileUpload } from "../files/parts.ts";
import { deleteFiles } from "../files/remove.ts";
import { beginFile, commitFile, fileFailed } from "../files/write.ts";
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
import { createFolder } from "../folders/create.ts";
import { deleteFolder } from "../folders/delete.ts";
import { readFolderTree } from "../folders/tree.ts";
import { updateFolder } from "../folders/update.ts";
import { addKeys } from "../issuer/keys/add.ts";
import { readKeys } from "../issuer/keys/key.ts";
import { forgetKeys, rotateKeys } from "../issuer/keys/rotate.ts";
import { addLocation } from "../locations/add.ts";
import { ensureBuiltInLocations } from "../locations/built-in.ts";
import { listLocations } from "../locations/location.ts";
import { provisionLocations } from "../locations/provisioned.ts";
import { updateLocation } from "../locations/update.ts";
import { readUsage } from "../locations/usage.ts";
import { provisionSignOn } from "../sign-on/provisioned.ts";
import { offeredSignOns, readSignOn, removeSignOn, setSignOn } from "../sign-on/setting.ts";
import { scimReads, scimWrites } from "../sign-on/scim/operations.ts";
import { createServiceAccount } from "../people/service-account.ts";
import { createToken, endToken, listTokens, noteTokenUse } from "../people/personal-tokens.ts";
import { signInByProvider } from "../sign-on/sign-in.ts";
import { queryCatalog } from "../series/catalog.ts";
import { queryRevisions, type RevisionContext } from "../series/revisions.ts";
import { grantCode, redeemCode } from "../oauth/code.ts";
import { redeemDevice, startDevice } from "../oauth/device.ts";
import { endListedGrant, listGrants, noteGrantUse } from "../oauth/grant-list.ts";
import { refreshPair } from "../oauth/refresh.ts";
import { revokeGrant } from "../oauth/revoke.ts";
import { answerDevice, enterUserCode } from "../oauth/user-code-entry.ts";
import { findCredential } from "../organizations/credential.ts";
import { createKey, listLivingKeys, noteKeyUse, revokeKey } from "../organizations/keys.ts";
import { listOrganizations } from "../organizations/organization.ts";
import { provision } from "../organizations/provision.ts";
import { acceptInvitation, findInvitation } from "../people/accept-invitation.ts";
import { bootstrap } from "../people/bootstrap.ts";
import { eraseOneself } from "../people/erase.ts";
import { forgetEnded } from "../people/forget-ended.ts";
import { createInvitation, listInvitations, revokeInvitation } from "../people/invitations.ts";
import { changeRole, listPeople, removePerson } from "../people/memberships.ts";
import { changePassword, readPassword } from "../people/password.ts";
import { provisionedPasswords, provisionPeople } from "../people/provision.ts";
import { findForSignIn, livingOrganizations } from "../people/person.ts";
import { showInvitation } from "../people/shown-invitation.ts";
import { endListedSession, listSessions, noteSessionUse } from "../people/session-list.ts";
import { createSession, endSession, noteRefusal, switchOrganization } from "../people/sessions.ts";
import type { Counting } from "../quotas/ledger.ts";
import { listQuotas } from "../quotas/quota.ts";
import { dropPoints } from "../points/drop-points.ts";
import { forgetGarbage, replaceSegments, sealLog, trimLog } from "../points/manifest.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { countNonfiniteBefore } from "../experiments/nonfinite.ts";
import { indexConfigs } from "../summaries/config-index.ts";
import { enter } from "../summaries/dictionary.ts";
import { deleteRunTag, markRun, updateRun } from "../runs/change.ts";
import { allowLocations, provisionAllowedLocations } from "../runs/allowed-locations.ts";
import {
  createRunFolder,
  deleteFolderTag,
  markRunFolder,
  renameRunFolder,
  setFolderTag,
} from "../runs/change-folder.ts";
import { createRun } from "../runs/create.ts";
import { addInputs, addOutputs } from "../runs/inputs.ts";
import { logRun } from "../runs/log.ts";
import { recordModel } from "../runs/model-history.ts";
import { queryAttributes } from "../runs/query-attributes.ts";
import { runReads } from "../runs/reads.ts";
import {
  deleteModel,
  deleteModelTag,
  describeModel,
  finalizeModel,
} from "../runs/models/change.ts";
import { createModel } from "../runs/models/create.ts";
import { readModel } from "../runs/models/read.ts";
import { searchModels } from "../runs/models/search.ts";
import type { Recording } from "../runs/recording.ts";
import type { PointsReader } from "../summaries/lasts.ts";
import { changeSaved, createSaved, deleteSaved } from "../saved/keep.ts";
import { listSaved, readSaved } from "../saved/saved.ts";
import { beginRecount, foldSummaries } from "../summaries/fold.ts";
import { retentionReads, retentionReplies, retentionWrites } from "../retention/operations.ts";
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
