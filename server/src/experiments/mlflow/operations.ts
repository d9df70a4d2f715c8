import { flagged } from "../../database/operation.ts";
import {
  allowLocations,
  provisionAllowedLocations,
  readAllowedLocations,
} from "./allowed-locations.ts";
import {
  createRunFolder,
  deleteFolderTag,
  markRunFolder,
  renameRunFolder,
  setFolderTag,
} from "./change-folder.ts";
import { deleteRunTag, markRun, updateRun } from "./change.ts";
import { createRun } from "./create.ts";
import { readHistories } from "./histories.ts";
import { readHistory } from "./history.ts";
import { addInputs, addOutputs } from "./inputs.ts";
import { logRun, tryLogRun } from "./log.ts";
import { recordModel } from "./model-history.ts";
import { deleteModel, deleteModelTag, describeModel, finalizeModel } from "./models/change.ts";
import { createModel } from "./models/create.ts";
import { readModel } from "./models/read.ts";
import { searchModels } from "./models/search.ts";
import { queryAttributes } from "./query-attributes.ts";
import { readRun } from "./read.ts";
import { sampleHistories } from "./sampled-histories.ts";
import { recordPoints } from "./recording.ts";
import { searchDatasets } from "./search-datasets.ts";
import { readFolder, readFolderNamed, searchFolders } from "./search-folders.ts";
import { searchRuns } from "./search.ts";

export const mlflowWrites = {
  "run.create": createRun,
  "run.update": updateRun,
  "run.mark": markRun,
  "run.deleteTag": deleteRunTag,
  "run.log": logRun,
  "run.tryLog": tryLogRun,
  "run.record": flagged(recordPoints, { atPoints: true }),
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
};

export const mlflowReads = {
  "model.read": readModel,
  "model.search": searchModels,
  "run.read": readRun,
  "run.history": readHistory,
  "run.histories": readHistories,
  "run.sampledHistories": sampleHistories,
  "run.search": searchRuns,
  "run.folder": readFolder,
  "run.allowedLocations": readAllowedLocations,
  "run.folderNamed": readFolderNamed,
  "run.searchFolders": searchFolders,
  "run.searchDatasets": searchDatasets,
};

export const mlflowReplies = {
  "query.attributes": queryAttributes,
};
