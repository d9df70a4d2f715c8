import { limits } from "@lossless/protocol/limits";
import type { Reader, Transaction } from "../database/database.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { requireModel as requireLoggedModel } from "../experiments/mlflow/models/model-row.ts";
import type { Tag } from "../experiments/mlflow/change-folder.ts";
import { ServiceError } from "../ground/errors.ts";
import { moveAlias, readAliases } from "../artifacts/rows/aliases/alias.ts";
import { versionNamed } from "../artifacts/rows/aliases/named-version.ts";
import { findArtifact } from "../artifacts/rows/artifact.ts";
import {
  type Changing,
  noteModel,
  type RegisteredModel,
  requireModel,
  touchModel,
} from "./model.ts";
import { isActive, type Stage, stageAliases } from "./stages.ts";
import { removeTag, writeTags } from "./tags.ts";

/** The content of a version of a model. */
export type VersionContent =
  /** A version of an artifact: its name, `latest` or an alias, as it is now. */
  | { kind: "artifact"; artifact: string; version: string }
  /** Files at an address of MLflow's. */
  | {
      kind: "files";
      source: string;
      /** The source that it comes down to, if it is a version of a model. */
      storage: string;
      run: string | null;
      loggedModel: string | null;
      runLink: string | null;
    };

export interface AddVersion extends Changing {
  content: VersionContent;
  description: string;
  tags: Tag[];
  /** Whether a version of an artifact that the model has already is not added again. */
  isOnce?: boolean;
}

/**
 * `registry.addVersion`: gives the next number to a version. Numbers of deleted versions are not
 * given again.
 */
export async function addVersion(
  transaction: Transaction,
  { content, description, tags, isOnce = false, ...name }: AddVersion,
  moment: Counting,
): Promise<{ number: number }> {
  const model = await requireModel(transaction, name, { lock: true });
  const { organizationId, by } = name;
  await requireFewerVersions(transaction, model.id);
  const columns =
    content.kind === "files"
      ? await filesColumns(transaction, organizationId, content)
      : await artifactColumns(transaction, organizationId, content);
  const known = isOnce ? await versionOfArtifact(transaction, model.id, columns) : undefined;
  if (known !== undefined) return known;
  const number = model.versions + 1;
  await transaction.run(
    `INSERT INTO model_version (model, number, artifact, artifact_version, source, storage, run, logged_model,
       run_link, description, is_archived, created_by, created_at_ms, changed_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12, $12)`,
    model.id,
    number,
    columns.artifact,
    columns.version,
    columns.source,
    columns.storage,
    columns.run,
    columns.loggedModel,
    columns.runLink,
    description,
    by.actor,
    moment.nowMs,
  );
  await transaction.run(
    "UPDATE registered_model SET versions = $2, changed_at_ms = $3 WHERE id = $1",
    model.id,
    number,
    moment.nowMs,
  );
  const texts = textBytes(columns.source, columns.storage, description, columns.runLink);
  await moment.ledger.charge(organizationId, { bytes: rowBytes + texts });
  await writeTags(transaction, { organizationId, id: model.id, number }, tags, moment);
  const details = { version: String(number), source: columns.source.slice(0, 500) };
  const event = { action: "model.versionAdded", subject: model.id, details };
  await noteModel(transaction, name, event, moment);
  return { number };
}

interface ContentColumns {
  artifact: string | null;
  version: string | null;
  source: string;
  storage: string;
  run: string | null;
  loggedModel: string | null;
  runLink: string | null;
}

async function filesColumns(
  reader: Reader,
  organizationId: string,
  { source, storage, run, loggedModel, runLink }: VersionContent & { kind: "files" },
): Promise<ContentColumns> {
  const named = loggedModelOf(storage) ?? null;
  const modelId = loggedModel ?? named;
  // MLflow's server knows the run by the logged model.
  const model = modelId === null ? null : await requireLoggedModel(reader, organizationId, modelId);
  const ofModel = model === null || model.source_run === "" ? null : model.source_run;
  const lineage = { run: run ?? ofModel, loggedModel: modelId, runLink };
  return { artifact: null, version: null, source, storage, ...lineage };
}

/** Returns the logged model that an address of MLflow's names. */
export function loggedModelOf(source: string): string | undefined {
  return /^models:\/+(m-[0-9a-f]{32})\/?$/.exec(source)?.[1];
}

async function artifactColumns(
  reader: Transaction,
  organizationId: string,
  { artifact: path, version }: VersionContent & { kind: "artifact" },
): Promise<ContentColumns> {
  const name = { organizationId, artifact: path };
  const artifact = await findArtifact(reader, name, { lock: true });
  const wanted = artifact && (await versionNamed(reader, name, artifact, version));
  const row =
    artifact &&
    (await reader.get<{ experiment: string | null }>(
      `SELECT written.experiment FROM version LEFT JOIN version_experiment AS written
         ON written.artifact = version.artifact AND written.version = version.name
       WHERE version.artifact = $1 AND version.name = $2`,
      artifact.id,
      wanted!,
    ));
  if (artifact === undefined || row === undefined) {
    throw new ServiceError("not_found", "The artifact has no such version.");
  }
  return {
    artifact: artifact.id,
    version: wanted!,
    source: `lossless:/${path}@${wanted}`,
    storage: "",
    run: row.experiment,
    loggedModel: null,
    runLink: null,
  };
}

async function versionOfArtifact(
  reader: Reader,
  modelId: string,
  { artifact, version }: ContentColumns,
): Promise<{ number: number } | undefined> {
  return reader.get<{ number: number }>(
    `SELECT number FROM model_version WHERE model = $1 AND artifact = $2 AND artifact_version = $3
     ORDER BY number LIMIT 1`,
    modelId,
    artifact,
    version,
  );
}

async function requireFewerVersions(transaction: Transaction, modelId: string): Promise<void> {
  const row = await transaction.get<{ versions: number }>(
    "SELECT count(*) AS versions FROM model_version WHERE model = $1",
    modelId,
  );
  if ((row?.versions ?? 0) < limits.modelVersionsMax) return;
  const most = limits.modelVersionsMax;
  throw new ServiceError("limit_exceeded", `A registered model has at most ${most} versions.`);
}

export interface OneVersion extends Changing {
  number: number;
}

/** `registry.changeVersion`: another description. */
export async function changeVersion(
  transaction: Transaction,
  { number, description, ...name }: OneVersion & { description: string },
  moment: Counting,
): Promise<void> {
  const { found } = await lockVersion(transaction, { ...name, number });
  const bytes = textBytes(description) - textBytes(found.description);
  await moment.ledger.charge(name.organizationId, { bytes });
  await transaction.run(
    "UPDATE model_version SET description = $3, changed_at_ms = $4 WHERE model = $1 AND number = $2",
    found.model,
    number,
    description,
    moment.nowMs,
  );
}

/**
 * `registry.deleteVersion`: removes a version and the aliases that point to it, which their history
 * says. What it referred to stays.
 */
export async function deleteVersion(
  transaction: Transaction,
  { number, ...name }: OneVersion,
  moment: Counting,
): Promise<void> {
  const { model, found } = await lockVersion(transaction, { ...name, number });
  const { organizationId, by } = name;
  const owner = { organizationId, id: model.id };
  const version = String(number);
  for (const alias of await readAliases(transaction, model.id)) {
    if (alias.version !== version) continue;
    await moveModelAlias(transaction, name, model, { alias: alias.alias, to: null }, moment);
  }
  const tags = await transaction.all<{ key: string }>(
    "SELECT key FROM model_version_tag WHERE model = $1 AND number = $2",
    model.id,
    number,
  );
  for (const { key } of tags) await removeTag(transaction, { ...owner, number }, key, moment);
  await transaction.run(
    "DELETE FROM model_version WHERE model = $1 AND number = $2",
    model.id,
    number,
  );
  const bytes = -(
    rowBytes + textBytes(found.source, found.storage, found.description, found.run_link)
  );
  moment.ledger.note(organizationId, { bytes });
  await touchModel(transaction, model.id, moment);
  const details = { version, source: found.source.slice(0, 500) };
  const event = { action: "model.versionDeleted", subject: model.id, details };
  await noteModel(transaction, { ...name, by }, event, moment);
}

/** `registry.moveAlias`: sets, moves or removes (`to` null) an alias of a model. */
export async function changeAlias(
  transaction: Transaction,
  {
    alias,
    to,
    expected,
    ...name
  }: Changing & { alias: string; to: number | null; expected?: string | null | undefined },
  moment: Counting,
): Promise<{ previous: string | null }> {
  const model = await requireModel(transaction, name, { lock: true });
  if (to !== null) await requireVersionRow(transaction, name, model.id, to);
  const version = to === null ? null : String(to);
  return moveModelAlias(transaction, name, model, { alias, to: version, expected }, moment);
}

/**
 * `registry.moveStage`: moves a version to a stage of MLflow's, which are aliases. With
 * `archivesOthers` the version that was in it becomes archived; otherwise it is in none.
 */
export async function moveStage(
  transaction: Transaction,
  {
    number,
    stage,
    archivesOthers,
    ...name
  }: OneVersion & { stage: Stage; archivesOthers: boolean },
  moment: Counting,
): Promise<void> {
  const { model } = await lockVersion(transaction, { ...name, number });
  const version = String(number);
  const wanted = isActive(stage) ? stageAliases[stage] : null;
  const present = await readAliases(transaction, model.id);
  for (const { alias, version: aliased } of present) {
    const isStage = Object.values<string>(stageAliases).includes(alias);
    if (!isStage || alias === wanted || aliased !== version) continue;
    await moveModelAlias(transaction, name, model, { alias, to: null }, moment);
  }
  const before = present.find(({ alias }) => alias === wanted)?.version;
  if (wanted !== null) {
    await moveModelAlias(transaction, name, model, { alias: wanted, to: version }, moment);
  }
  if (archivesOthers && before !== undefined && before !== version)
    await markArchived(transaction, model.id, Number(before), true, moment);
  await markArchived(transaction, model.id, number, stage === "Archived", moment);
  await touchModel(transaction, model.id, moment);
}

async function markArchived(
  transaction: Transaction,
  modelId: string,
  number: number,
  isArchived: boolean,
  { nowMs }: Counting,
): Promise<void> {
  await transaction.run(
    "UPDATE model_version SET is_archived = $3, changed_at_ms = $4 WHERE model = $1 AND number = $2",
    modelId,
    number,
    isArchived ? 1 : 0,
    nowMs,
  );
}

async function moveModelAlias(
  transaction: Transaction,
  name: Changing,
  model: RegisteredModel,
  {
    alias,
    to,
    expected,
  }: { alias: string; to: string | null; expected?: string | null | undefined },
  moment: Counting,
): Promise<{ previous: string | null }> {
  const { organizationId, by } = name;
  const move = { alias, to, expected, by };
  const owner = { organizationId, id: model.id };
  const moved = await moveAlias(transaction, owner, move, moment);
  if (!moved.isChanged) return moved;
  const verb = to === null ? "removed" : moved.previous === null ? "set" : "moved";
  const details = { alias, from: moved.previous, to };
  const event = { action: `model.alias${verb[0].toUpperCase()}${verb.slice(1)}`, details };
  await noteModel(transaction, name, { ...event, subject: model.id }, moment);
  return moved;
}

/** `registry.tag`: sets tags of a model, or of a version, or removes one. */
export async function changeTags(
  transaction: Transaction,
  {
    number,
    set,
    removed,
    ...name
  }: Changing & { number: number | null; set: Tag[]; removed: string | null },
  moment: Counting,
): Promise<void> {
  const model = await requireModel(transaction, name, { lock: true });
  if (number !== null) await requireVersionRow(transaction, name, model.id, number);
  const owner = { organizationId: name.organizationId, id: model.id, number };
  await writeTags(transaction, owner, set, moment);
  if (removed !== null) await removeTag(transaction, owner, removed, moment);
}

interface VersionRow {
  model: string;
  source: string;
  storage: string;
  description: string;
  run_link: string | null;
}

async function lockVersion(
  transaction: Transaction,
  { number, ...name }: OneVersion,
): Promise<{ model: RegisteredModel; found: VersionRow }> {
  const model = await requireModel(transaction, name, { lock: true });
  return { model, found: await requireVersionRow(transaction, name, model.id, number) };
}

export async function requireVersionRow(
  reader: Reader,
  { model: name }: { model: string },
  modelId: string,
  number: number,
): Promise<VersionRow> {
  const row = await reader.get<VersionRow>(
    `SELECT model, source, storage, description, run_link FROM model_version WHERE model = $1 AND number = $2`,
    modelId,
    number,
  );
  if (row !== undefined) return row;
  throw new ServiceError(
    "model_not_found",
    `Model Version (name=${name}, version=${number}) not found`,
  );
}
