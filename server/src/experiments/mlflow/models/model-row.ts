import type { Reader } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { below } from "../run-row.ts";

/** A logged model, without its dependent rows. */
export interface ModelRow {
  id: string;
  folder: string;
  name: string;
  model_type: string;
  source_run: string;
  status: number;
  artifact_location: string | null;
  created_at_ms: number;
  updated_at_ms: number;
  deleted_at_ms: number | null;
}

export const modelColumns = `id, folder, name, model_type, source_run, status, artifact_location,
  created_at_ms, updated_at_ms, deleted_at_ms`;

/**
 * Requires a model, also one that is marked as deleted; one of another organization is as absent as
 * none.
 */
export async function requireModel(
  reader: Reader,
  organizationId: string,
  modelId: string,
): Promise<ModelRow> {
  const row = await reader.get<ModelRow>(
    `SELECT ${modelColumns} FROM logged_model WHERE id = $1 AND organization = $2`,
    modelId,
    organizationId,
  );
  if (row === undefined) throw modelNotFound(modelId);
  return row;
}

export function modelNotFound(modelId: string): ServiceError {
  return new ServiceError("model_not_found", `Logged model with ID '${modelId}' not found.`);
}

/** Returns the URI at which MLflow clients write and read files of a model. */
export function modelArtifactUri({ id, folder, artifact_location: given }: ModelRow): string {
  const location = given ?? `mlflow-artifacts:/${folder}`;
  return below(location, `models/${id}/artifacts`);
}
