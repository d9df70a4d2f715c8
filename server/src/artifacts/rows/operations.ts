import { flagged } from "../../database/operation.ts";
import {
  listAliases,
  readAliasHistory,
  removeAlias,
  setAlias,
} from "./aliases/artifact-aliases.ts";
import { beginUpload, readCandidates, uploadFailed, uploadStarted } from "./begin.ts";
import { acceptEtags, commitUpload, completeUpload, readUpload, reopenUpload } from "./commit.ts";
import { rememberDirectory } from "./directory.ts";
import { listArtifacts, listVersions } from "./list.ts";
import { readFile } from "./mlflow/file.ts";
import * as leftFiles from "./mlflow/left-uploads.ts";
import { listFiles } from "./mlflow/list.ts";
import { readFilePage } from "./mlflow/page.ts";
import { readFileUpload } from "./mlflow/parts.ts";
import { deleteFiles } from "./mlflow/remove.ts";
import { beginFile, commitFile, fileFailed } from "./mlflow/write.ts";
import { readNote, writeNote } from "./note.ts";
import { openArtifact } from "./open.ts";
import { countReads } from "./read-usage.ts";
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
} from "./removal.ts";
import { readSentFiles } from "./sent-files.ts";
import { readUploadState } from "./upload.ts";
import { readVersion } from "./version.ts";
import { noteExperiments } from "./writing-experiment.ts";

export const artifactWrites = {
  "artifact.open": openArtifact,
  "upload.begin": beginUpload,
  "upload.started": uploadStarted,
  "upload.failed": uploadFailed,
  "upload.complete": completeUpload,
  "upload.accept": acceptEtags,
  "upload.reopen": reopenUpload,
  "upload.commit": commitUpload,
  "note.write": writeNote,
  "alias.set": setAlias,
  "alias.remove": removeAlias,
  "usage.count": countReads,
  "artifacts.directory": rememberDirectory,
  "removal.done": flagged(removalDone, { onFullDisk: true }),
  "removal.failed": flagged(removalFailed, { onFullDisk: true }),
  "upload.expire": flagged(expireUploads, { onFullDisk: true }),
  "upload.forget": flagged(forgetUploads, { onFullDisk: true }),
  "versions.noteExperiments": noteExperiments,
  "file.begin": beginFile,
  "file.commit": commitFile,
  "file.failed": fileFailed,
  "file.delete": deleteFiles,
  "file.expire": leftFiles.expireFiles,
  "file.removed": leftFiles.fileRemoved,
  "file.notRemoved": leftFiles.fileNotRemoved,
};

export const artifactReads = {
  "note.read": readNote,
  "alias.list": listAliases,
  "alias.history": readAliasHistory,
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
  "file.page": readFilePage,
  "file.due": leftFiles.dueFiles,
  "file.find": leftFiles.findFileKeys,
};
