import { readAllowedLocations } from "./allowed-locations.ts";
import { readHistories } from "./histories.ts";
import { readHistory } from "./history.ts";
import { readRun } from "./read.ts";
import { sampleHistories } from "./sampled-histories.ts";
import { searchDatasets } from "./search-datasets.ts";
import { readFolder, readFolderNamed, searchFolders } from "./search-folders.ts";
import { searchRuns } from "./search.ts";

/** What storage/operations.ts lists of this folder's reads. */
export const runReads = {
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
