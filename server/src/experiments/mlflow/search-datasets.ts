import type { Reader } from "../../database/database.ts";

/** A data set that runs of a folder read, once for each thing that they read it for. */
export interface DatasetSummary {
  folder: string;
  name: string;
  digest: string;
  context: string | null;
}

const summariesMax = 1_000;

/** `run.searchDatasets`: the data sets of some folders, up to a maximum, for MLflow's pages. */
export function searchDatasets(
  reader: Reader,
  { organizationId, folderIds }: { organizationId: string; folderIds: string[] },
): Promise<DatasetSummary[]> {
  return reader.all<DatasetSummary>(
    `SELECT DISTINCT dataset.folder, dataset.name, dataset.digest, run_input.context
     FROM dataset JOIN run_input ON run_input.dataset = dataset.id
     JOIN experiment ON experiment.id = run_input.experiment
     WHERE dataset.organization = $1 AND ${reader.isOneOf("dataset.folder", "$2")}
       AND experiment.trashed_at_ms IS NULL
     ORDER BY dataset.folder, dataset.name, dataset.digest, run_input.context
     LIMIT ${summariesMax}`,
    organizationId,
    JSON.stringify(folderIds),
  );
}
