import type { ModelVersion, WholeModel } from "../../registry/read.ts";

/** A registered model as MLflow's clients read it. */
export function registeredModelOf(model: WholeModel): object {
  const { name, description, createdAtMs, changedAtMs, latest, tags, aliases } = model;
  return {
    name,
    creation_timestamp: createdAtMs,
    last_updated_timestamp: changedAtMs,
    description,
    latest_versions: latest.length > 0 ? latest.map(modelVersionOf) : undefined,
    tags: tags.length > 0 ? tags : undefined,
    aliases: aliases.length > 0 ? aliases : undefined,
  };
}

export function modelVersionOf(version: ModelVersion): object {
  const { name, number, description, source, run, loggedModel, runLink, stage } = version;
  const { tags, aliases } = version;
  return {
    name,
    version: String(number),
    creation_timestamp: version.createdAtMs,
    last_updated_timestamp: version.changedAtMs,
    current_stage: stage,
    description,
    source,
    run_id: run ?? "",
    status: "READY",
    tags: tags.length > 0 ? tags : undefined,
    run_link: runLink ?? "",
    aliases: aliases.length > 0 ? aliases : undefined,
    model_id: loggedModel ?? undefined,
  };
}
