import { annotateExperiment } from "./annotate.ts";
import { completeExperiment } from "./done.ts";
import { editExperiment } from "./edit.ts";
import { failExperiment } from "./error.ts";
import { createFolder } from "./folders/create.ts";
import { deleteFolder } from "./folders/delete.ts";
import { readFolderTree } from "./folders/tree.ts";
import { updateFolder } from "./folders/update.ts";
import { addBefore } from "./from-before.ts";
import { moveExperiment } from "./move.ts";
import { addNonfiniteBefore } from "./nonfinite.ts";
import { noteOnExperiment } from "./note.ts";
import { openExperiment } from "./open.ts";
import { queryAnnotations } from "./query-annotations.ts";
import { queryExperiment } from "./query-experiment.ts";
import { queryExperiments } from "./query-experiments.ts";
import { addPicture, readPicture } from "./saved/pictures.ts";
import { changeSaved, createSaved, deleteSaved, listSaved, readSaved } from "./saved/saved.ts";
import {
  applyingWorkspaces,
  deleteWorkspace,
  listWorkspaces,
  saveWorkspace,
  workspaceVersions,
} from "./saved/workspaces.ts";
import { queryCatalog } from "./series/catalog.ts";
import { queryRevisions } from "./series/revisions.ts";
import { startExperiment } from "./start.ts";
import { noteTold } from "./told/note-told.ts";
import { noteToldUntil } from "./told/told-until.ts";
import { indexConfigs } from "./summaries/config-index.ts";
import { enter } from "./summaries/dictionary.ts";
import { beginRecount, foldSummaries } from "./summaries/fold.ts";
import { widenReach } from "./summaries/reach.ts";
import { refreshToken } from "./token-refresh.ts";
import { revokeToken } from "./token-revoke.ts";

export const experimentWrites = {
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
  "summaries.enter": enter,
  "summaries.fold": foldSummaries,
  "summaries.recount": beginRecount,
  "summaries.widen": widenReach,
  "summaries.index": indexConfigs,
  "told.experiments": noteTold,
  "told.until": noteToldUntil,
  "experiment.addNonfiniteBefore": addNonfiniteBefore,
  "experiment.addBefore": addBefore,
  "saved.create": createSaved,
  "saved.change": changeSaved,
  "saved.delete": deleteSaved,
  "picture.add": addPicture,
  "workspace.save": saveWorkspace,
  "workspace.delete": deleteWorkspace,
};

export const experimentReads = {
  "saved.list": listSaved,
  "saved.read": readSaved,
  "picture.read": readPicture,
  "workspace.list": listWorkspaces,
  "workspace.applying": applyingWorkspaces,
  "workspace.versions": workspaceVersions,
};

export const experimentReplies = {
  "query.experiment": queryExperiment,
  "foldertree.read": readFolderTree,
  "query.experiments": queryExperiments,
  "query.catalog": queryCatalog,
  "query.annotations": queryAnnotations,
  "query.revisions": queryRevisions,
};
