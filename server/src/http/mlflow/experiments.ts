import { ServiceError } from "../../ground/errors.ts";
import type { RunFolder } from "../../experiments/mlflow/folder.ts";
import type { OrderBy, PageEnd } from "../../experiments/mlflow/order.ts";
import { writeOne } from "../../storage/storage.ts";
import { parseFilter } from "./filter/filter.ts";
import { experimentLanguage } from "./filter/language.ts";
import { parseOrderBy } from "./filter/order-by.ts";
import { integer, invalid, list, message, oneOf, required, text } from "./message.ts";
import { answered, type MlflowCall, mlflow, placeIn, tokenOf } from "./mlflow.ts";
import { isPlace, pageSize, stagesOf, viewTypes } from "./search-page.ts";
import { checkExperimentName, checkFolderTag, type Pair } from "./words.ts";

const pairs = list(message({ key: text, value: text }));
const experimentId = { experiment_id: required(text) };

const searchFields = {
  view_type: oneOf(viewTypes),
  max_results: integer,
  order_by: list(text),
  filter: text,
  page_token: text,
};

export const experiments = mlflow({
  mlflowCreateExperiment: answered(
    { name: required(text), artifact_location: text, tags: pairs },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { name, artifact_location: location } = given;
      checkExperimentName(name);
      const tags = pairsOf(given.tags);
      for (const tag of tags) checkFolderTag(tag);
      const artifactLocation = checkedLocation(location);
      const input = { organizationId, name, artifactLocation, tags };
      const { folderId } = await writeOne(storage, "run.createFolder", input);
      return { experiment_id: folderId };
    },
  ),

  mlflowGetExperiment: answered(
    experimentId,
    async ({ organizationId, message: given, served: { storage } }) => {
      const input = { organizationId, folderId: given.experiment_id };
      return { experiment: experimentOf(await storage.read("run.folder", input)) };
    },
  ),

  mlflowGetExperimentByName: answered(
    { experiment_name: required(text) },
    async ({ organizationId, message: given, served: { storage } }) => {
      const name = given.experiment_name;
      const folder = await storage.read("run.folderNamed", { organizationId, name });
      if (folder === null) {
        const sentence = `Could not find experiment with name '${name}'`;
        throw new ServiceError("folder_not_found", sentence);
      }
      return { experiment: experimentOf(folder) };
    },
  ),

  mlflowSearchExperiments: answered(searchFields, search),
  mlflowListExperiments: answered(searchFields, search),

  mlflowDeleteExperiment: answered(experimentId, (asked) => mark(asked, true)),
  mlflowRestoreExperiment: answered(experimentId, (asked) => mark(asked, false)),

  mlflowUpdateExperiment: answered(
    { ...experimentId, new_name: required(text) },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { experiment_id: folderId, new_name: name } = given;
      checkExperimentName(name);
      await writeOne(storage, "run.renameFolder", { organizationId, folderId, name });
      return {};
    },
  ),

  mlflowSetExperimentTag: answered(
    { ...experimentId, key: required(text), value: text },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { experiment_id: folderId, key, value = "" } = given;
      const tag = { key, value };
      checkFolderTag(tag);
      await writeOne(storage, "run.setFolderTag", { organizationId, folderId, tag });
      return {};
    },
  ),

  mlflowDeleteExperimentTag: answered(
    { ...experimentId, key: required(text) },
    async ({ organizationId, message: { experiment_id: folderId, key }, served: { storage } }) => {
      await writeOne(storage, "run.deleteFolderTag", { organizationId, folderId, key });
      return {};
    },
  ),
});

async function mark(asked: MlflowCall<typeof experimentId>, isDeleted: boolean): Promise<object> {
  const { organizationId, message: given, served } = asked;
  const input = { organizationId, folderId: given.experiment_id, isDeleted };
  await writeOne(served.storage, "run.markFolder", input);
  return {};
}

/**
 * The default order of MLflow: without an order the newest first, and then ascending by id;
 * otherwise descending.
 */
const byCreation: OrderBy[] = [
  { field: { kind: "attribute", key: "creation_time" }, isAscending: false },
];

async function search({
  organizationId,
  message: given,
  served: { storage },
}: MlflowCall<typeof searchFields>): Promise<object> {
  const limit = pageSize(given.max_results, 1_000);
  const clauses = parseOrderBy(given.order_by, experimentLanguage);
  const { folders, next } = await storage.read("run.searchFolders", {
    organizationId,
    stages: stagesOf(given.view_type),
    conditions: parseFilter(given.filter, experimentLanguage),
    orderBy: clauses.length > 0 ? clauses : byCreation,
    idAscending: clauses.length === 0,
    limit,
    after: placeIn<PageEnd>(given.page_token, isPlace),
  });
  const found = folders.length > 0 ? { experiments: folders.map(experimentOf) } : {};
  return { ...found, next_page_token: tokenOf(next) };
}

function experimentOf(folder: RunFolder): object {
  const { id, name, artifactLocation, createdAtMs, updatedAtMs, isDeleted, tags } = folder;
  return {
    experiment_id: id,
    name,
    artifact_location: artifactLocation ?? `mlflow-artifacts:/${id}`,
    lifecycle_stage: isDeleted ? "deleted" : "active",
    last_update_time: updatedAtMs,
    creation_time: createdAtMs,
    tags: tags.length > 0 ? tags : undefined,
  };
}

const locationCharactersMax = 2_048;

/**
 * Checks a location. Clients use it by themselves, so only one that is no address of this service
 * is kept.
 */
function checkedLocation(location: string | undefined): string | null {
  if (location === undefined || location === "") return null;
  if (/^mlflow-artifacts:/i.test(location)) {
    throw invalid(
      "artifact_location: Lossless chooses the place of its own files; leave it out, or name your own store.",
    );
  }
  if (hasFragmentOrParams(location))
    throw invalid("'artifact_location' URL can't include fragments or params.");
  if (location.length > locationCharactersMax) {
    throw invalid(
      `Invalid artifact path length. The length of the artifact path cannot be greater than ${locationCharactersMax} characters.`,
    );
  }
  return location;
}

/**
 * Whether a location has a fragment or params. Keys of buckets may have semicolons: those are no
 * params.
 */
function hasFragmentOrParams(location: string): boolean {
  if (/#./.test(location)) return true;
  const [path] = location.split("?");
  return /^(?:(?:https?|s?ftp|hdfs):|[^:]*$)/i.test(path) && /;[^/]+$/.test(path);
}

function pairsOf(given: readonly { key: string | undefined; value: string | undefined }[]): Pair[] {
  return given.map(({ key = "", value = "" }) => ({ key, value }));
}
