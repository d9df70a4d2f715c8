import type { Reader } from "../../../database/database.ts";
import type { Tag } from "../change-folder.ts";
import { readModelMetrics, type ReadMetric } from "./metrics.ts";
import {
  modelArtifactUri,
  modelColumns,
  modelNotFound,
  type ModelRow,
  requireModel,
} from "./model-row.ts";

/** A logged model as MLflow's clients see it. */
export interface LoggedModel {
  id: string;
  folderId: string;
  name: string;
  modelType: string;
  sourceRun: string;
  /** MLflow's number. */
  status: number;
  artifactUri: string;
  createdAtMs: number;
  updatedAtMs: number;
  params: Tag[];
  tags: Tag[];
  metrics: ReadMetric[];
}

/** `model.read` */
export async function readModel(
  reader: Reader,
  {
    organizationId,
    modelId,
    isDeletedToo,
  }: { organizationId: string; modelId: string; isDeletedToo: boolean },
): Promise<LoggedModel> {
  const row = await requireModel(reader, organizationId, modelId);
  if (row.deleted_at_ms !== null && !isDeletedToo) throw modelNotFound(modelId);
  const [model] = await modelsOf(reader, [row]);
  return model;
}

/** Reads some models of one organization, in the order of the given ids. */
export async function readModels(reader: Reader, ids: readonly string[]): Promise<LoggedModel[]> {
  if (ids.length === 0) return [];
  const rows = await reader.all<ModelRow>(
    `SELECT ${modelColumns} FROM logged_model WHERE ${reader.isOneOf("id", "$1")}`,
    JSON.stringify(ids),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return modelsOf(
    reader,
    ids.flatMap((id) => byId.get(id) ?? []),
  );
}

async function modelsOf(reader: Reader, rows: readonly ModelRow[]): Promise<LoggedModel[]> {
  const ids = rows.map(({ id }) => id);
  const params = await readPairs(reader, "logged_model_param", ids);
  const tags = await readPairs(reader, "logged_model_tag", ids);
  const metrics = await readModelMetrics(reader, ids);
  return rows.map((row) => ({
    id: row.id,
    folderId: row.folder,
    name: row.name,
    modelType: row.model_type,
    sourceRun: row.source_run,
    status: row.status,
    artifactUri: modelArtifactUri(row),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    params: params.get(row.id) ?? [],
    tags: tags.get(row.id) ?? [],
    metrics: metrics.get(row.id) ?? [],
  }));
}

async function readPairs(
  reader: Reader,
  table: "logged_model_param" | "logged_model_tag",
  ids: readonly string[],
): Promise<Map<string, Tag[]>> {
  const rows = await reader.all<Tag & { model: string }>(
    `SELECT model, key, value FROM ${table} WHERE ${reader.isOneOf("model", "$1")}
     ORDER BY model, key`,
    JSON.stringify(ids),
  );
  const found = new Map<string, Tag[]>();
  for (const { model, key, value } of rows) {
    const own = found.get(model);
    if (own === undefined) found.set(model, [{ key, value }]);
    else own.push({ key, value });
  }
  return found;
}
