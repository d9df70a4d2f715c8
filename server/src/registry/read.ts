import type { Reader } from "../database/database.ts";
import {
  modelArtifactUri,
  requireModel as requireLoggedModel,
} from "../experiments/mlflow/models/model-row.ts";
import type { Tag } from "../experiments/mlflow/change-folder.ts";
import { ServiceError } from "../ground/errors.ts";
import { isStorable } from "../experiments/mlflow/search-text.ts";
import { aliasedVersion } from "../artifacts/rows/aliases/alias.ts";
import { loggedModelOf } from "./model-versions.ts";
import { type ModelName, requireModel, type RegisteredModel } from "./model.ts";
import { type Stage, stageOf, stages } from "./stages.ts";
import { readModelTags, readVersionTags, versionKey } from "./tags.ts";

/** A version of a model, with the name of its model. */
export interface ModelVersion extends Omit<VersionRow, "isArchived"> {
  stage: Stage;
  aliases: string[];
  tags: Tag[];
}

/** A model with its tags, aliases, and the highest version of each stage. */
export interface WholeModel extends RegisteredModel {
  tags: Tag[];
  aliases: { alias: string; version: string }[];
  latest: ModelVersion[];
}

export interface VersionRow {
  model: string;
  name: string;
  number: number;
  /** The version of an artifact that it is; null: it is files at `source`. */
  artifact: string | null;
  artifactVersion: string | null;
  source: string;
  storage: string;
  run: string | null;
  loggedModel: string | null;
  runLink: string | null;
  description: string;
  isArchived: number;
  createdBy: string;
  createdAtMs: number;
  changedAtMs: number;
}

export const versionColumns = `model_version.model, registered_model.name, model_version.number,
  artifact.path AS artifact, model_version.artifact_version AS "artifactVersion", model_version.source,
  model_version.storage,
  model_version.run, model_version.logged_model AS "loggedModel", model_version.run_link AS "runLink",
  model_version.description, model_version.is_archived AS "isArchived",
  model_version.created_by AS "createdBy", model_version.created_at_ms AS "createdAtMs",
  model_version.changed_at_ms AS "changedAtMs"`;
export const versionTables = `model_version JOIN registered_model ON registered_model.id = model_version.model
  LEFT JOIN artifact ON artifact.id = model_version.artifact`;

/** `registry.model` */
export async function readModel(reader: Reader, name: ModelName): Promise<WholeModel> {
  const model = await requireModel(reader, name);
  const [whole] = await wholeModels(reader, [model]);
  return whole;
}

/** Models with all that belongs to them, in their order. */
export async function wholeModels(
  reader: Reader,
  models: readonly RegisteredModel[],
): Promise<WholeModel[]> {
  if (models.length === 0) return [];
  const ids = models.map(({ id }) => id);
  const tags = await readModelTags(reader, ids);
  const aliases = await aliasesOf(reader, ids);
  // The highest of all, of the archived ones, and those that aliases place in a stage: no others
  // can be the highest of a stage.
  const rows = await reader.all<VersionRow>(
    `SELECT ${versionColumns} FROM ${versionTables} WHERE ${reader.isOneOf("model_version.model", "$1")}
       AND (EXISTS (
         SELECT 1 FROM alias WHERE alias.owner = model_version.model AND alias.name IN ('staging', 'production')
           AND alias.version = CAST(model_version.number AS TEXT))
       OR model_version.number = (
         SELECT max(number) FROM model_version AS other WHERE other.model = model_version.model
           AND other.is_archived = model_version.is_archived AND NOT EXISTS (
             SELECT 1 FROM alias WHERE alias.owner = other.model AND alias.name IN ('staging', 'production')
               AND alias.version = CAST(other.number AS TEXT))))
     ORDER BY model_version.model, model_version.number`,
    JSON.stringify(ids),
  );
  const versions = await wholeVersions(reader, rows);
  return models.map((model) => ({
    ...model,
    tags: tags.get(model.id) ?? [],
    aliases: aliases.get(model.id) ?? [],
    latest: highestOfStages(versions.filter((version) => version.model === model.id)),
  }));
}

function highestOfStages(versions: readonly ModelVersion[]): ModelVersion[] {
  return stages.flatMap((stage) => {
    const own = versions.filter((version) => version.stage === stage);
    return own.length === 0
      ? []
      : [own.reduce((one, two) => (two.number > one.number ? two : one))];
  });
}

async function aliasesOf(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, { alias: string; version: string }[]>> {
  const rows = await reader.all<{ owner: string; alias: string; version: string }>(
    `SELECT owner, name AS alias, version FROM alias WHERE ${reader.isOneOf("owner", "$1")}
     ORDER BY owner, name`,
    JSON.stringify([...new Set(ids)]),
  );
  const found = new Map<string, { alias: string; version: string }[]>();
  for (const { owner, alias, version } of rows) {
    const own = found.get(owner) ?? [];
    found.set(owner, own);
    own.push({ alias, version });
  }
  return found;
}

/** Versions with tags, aliases and stages, in their order. */
export async function wholeVersions(
  reader: Reader,
  rows: readonly VersionRow[],
): Promise<ModelVersion[]> {
  if (rows.length === 0) return [];
  const tags = await readVersionTags(reader, rows);
  const aliases = await aliasesOf(
    reader,
    rows.map(({ model }) => model),
  );
  return rows.map(({ isArchived, ...row }) => {
    const own = (aliases.get(row.model) ?? [])
      .filter(({ version }) => version === String(row.number))
      .map(({ alias }) => alias);
    const stage = stageOf(own, isArchived === 1);
    return { ...row, stage, aliases: own, tags: tags.get(versionKey(row)) ?? [] };
  });
}

/** `registry.version`: by its number, or by an alias. */
export async function readVersion(
  reader: Reader,
  { version, ...name }: ModelName & { version: { number: number } | { alias: string } },
): Promise<ModelVersion> {
  const model = await requireModel(reader, name);
  const number = "number" in version ? version.number : await aliased(reader, model, version.alias);
  const rows = Number.isSafeInteger(number)
    ? await reader.all<VersionRow>(
        `SELECT ${versionColumns} FROM ${versionTables}
         WHERE model_version.model = $1 AND model_version.number = $2`,
        model.id,
        number,
      )
    : [];
  const [found] = await wholeVersions(reader, rows);
  if (found !== undefined) return found;
  throw new ServiceError(
    "model_not_found",
    `Model Version (name=${name.model}, version=${number}) not found`,
  );
}

async function aliased(reader: Reader, model: RegisteredModel, alias: string): Promise<number> {
  if (alias.toLowerCase() === "latest") {
    const row = await reader.get<{ number: number | null }>(
      "SELECT max(number) AS number FROM model_version WHERE model = $1",
      model.id,
    );
    if (row?.number != null) return row.number;
    const message = `Latest version not found for model ${model.name}.`;
    throw new ServiceError("model_not_found", message);
  }
  const version = isStorable(alias) ? await aliasedVersion(reader, model.id, alias) : null;
  if (version !== null) return Number(version);
  throw new ServiceError("bad_request", `Registered model alias ${alias} not found.`);
}

/**
 * `registry.downloadUri`: the address at which MLflow's clients read the files of a version. A
 * version of an artifact has none.
 */
export async function readDownloadUri(
  reader: Reader,
  { number, ...name }: ModelName & { number: number },
): Promise<string> {
  const version = await readVersion(reader, { ...name, version: { number } });
  const { artifact, artifactVersion, storage } = version;
  if (artifact !== null) {
    throw new ServiceError(
      "bad_request",
      `This version is version ${artifactVersion} of the artifact ${artifact}, whose files MLflow's clients cannot read: ` +
        `lossless pull "${artifact}" --version ${artifactVersion}`,
    );
  }
  const logged = loggedModelOf(storage);
  if (logged === undefined) return storage;
  return modelArtifactUri(await requireLoggedModel(reader, name.organizationId, logged));
}
