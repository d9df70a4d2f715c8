import { limits } from "@lossless/protocol/limits";
import { type Actor, audit, type AuditEntry } from "../database/audit/audit.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { ServiceError } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
import { isStorable } from "../experiments/mlflow/search-text.ts";
import type { Tag } from "../experiments/mlflow/change-folder.ts";
import { writeTags } from "./tags.ts";

/** A registered model's organization and name. */
export interface ModelName {
  organizationId: string;
  model: string;
}

/** A registered model: a name for numbered versions, of artifacts or of files of runs. */
export interface RegisteredModel {
  id: string;
  name: string;
  description: string;
  /** The highest number given to a version. */
  versions: number;
  createdBy: string;
  createdAtMs: number;
  changedAtMs: number;
}

export const modelColumns = `registered_model.id, registered_model.name, registered_model.description,
  registered_model.versions, registered_model.created_by AS "createdBy",
  registered_model.created_at_ms AS "createdAtMs", registered_model.changed_at_ms AS "changedAtMs"`;

/** Finds a model. With `lock`, nothing else changes it, its versions and aliases meanwhile. */
export async function findModel(
  reader: Reader,
  { organizationId, model }: ModelName,
  { lock = false }: { lock?: boolean } = {},
): Promise<RegisteredModel | undefined> {
  if (!isStorable(model)) return undefined;
  return reader.get<RegisteredModel>(
    `SELECT ${modelColumns} FROM registered_model
     WHERE organization = $1 AND name = $2${lock ? reader.forUpdate : ""}`,
    organizationId,
    model,
  );
}

export async function requireModel(
  reader: Reader,
  name: ModelName,
  options: { lock?: boolean } = {},
): Promise<RegisteredModel> {
  const found = await findModel(reader, name, options);
  if (found !== undefined) return found;
  throw new ServiceError("model_not_found", `Registered Model with name=${name.model} not found`);
}

export interface Changing extends ModelName {
  by: Actor;
}

/** `registry.create`: a model without versions. Throws `conflict` when the name is taken. */
export async function createModel(
  transaction: Transaction,
  { description, tags, ...name }: Changing & { description: string; tags: Tag[] },
  moment: Counting,
): Promise<{ id: string }> {
  const { organizationId, model } = name;
  const id = newId(moment.nowMs);
  await requireFewerModels(transaction, organizationId);
  const inserted = await transaction.run(
    `INSERT INTO registered_model (id, organization, name, description, versions, created_by, created_at_ms,
       changed_at_ms) VALUES ($1, $2, $3, $4, 0, $5, $6, $6) ON CONFLICT (organization, name) DO NOTHING`,
    id,
    organizationId,
    model,
    description,
    name.by.actor,
    moment.nowMs,
  );
  if (inserted === 0)
    throw new ServiceError("conflict", `Registered Model (name=${model}) already exists.`);
  await moment.ledger.charge(organizationId, {
    bytes: rowBytes + textBytes(model, description),
  });
  await writeTags(transaction, { organizationId, id, number: null }, tags, moment);
  await noteModel(transaction, name, { action: "model.registered", subject: id }, moment);
  return { id };
}

async function requireFewerModels(transaction: Transaction, organizationId: string): Promise<void> {
  const row = await transaction.get<{ models: number }>(
    "SELECT count(*) AS models FROM registered_model WHERE organization = $1",
    organizationId,
  );
  if ((row?.models ?? 0) < limits.registeredModelsMax) return;
  const most = limits.registeredModelsMax;
  throw new ServiceError(
    "limit_exceeded",
    `An organization has at most ${most} registered models.`,
  );
}

/** `registry.change`: another name or description. Throws `conflict` when the name is taken. */
export async function changeModel(
  transaction: Transaction,
  { newName, description, ...name }: Changing & { newName?: string; description?: string },
  moment: Counting,
): Promise<void> {
  const found = await requireModel(transaction, name, { lock: true });
  const { organizationId } = name;
  const wanted = { name: newName ?? found.name, description: description ?? found.description };
  if (wanted.name !== found.name) {
    const taken = await findModel(transaction, { organizationId, model: wanted.name });
    if (taken !== undefined) {
      const message = `Registered Model (name=${wanted.name}) already exists.`;
      throw new ServiceError("conflict", message);
    }
  }
  const bytes =
    textBytes(wanted.name, wanted.description) - textBytes(found.name, found.description);
  await moment.ledger.charge(organizationId, { bytes });
  await transaction.run(
    `UPDATE registered_model SET name = $2, description = $3, changed_at_ms = $4 WHERE id = $1`,
    found.id,
    wanted.name,
    wanted.description,
    moment.nowMs,
  );
  if (wanted.name === found.name) return;
  // The versions' own time moves, as with MLflow's server.
  await transaction.run(
    "UPDATE model_version SET changed_at_ms = $2 WHERE model = $1",
    found.id,
    moment.nowMs,
  );
  const renamed = { action: "model.renamed", subject: found.id, details: { to: wanted.name } };
  await noteModel(transaction, name, renamed, moment);
}

/**
 * `registry.delete`: removes a model with its versions, aliases and their history. The files to
 * which the versions refer stay. The audit log says which numbers its aliases pointed to.
 */
export async function deleteModel(
  transaction: Transaction,
  name: Changing,
  moment: Counting,
): Promise<void> {
  const { id, versions } = await requireModel(transaction, name, { lock: true });
  const { organizationId } = name;
  const sum = await transaction.get<{ bytes: number }>(
    `SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes FROM (${modelAmounts.join(" UNION ALL ")}) AS counted
     WHERE model = $1`,
    id,
  );
  const aliases = await transaction.all<{ name: string; version: string }>(
    "SELECT name, version FROM alias WHERE owner = $1 ORDER BY name LIMIT 20",
    id,
  );
  for (const [table, column] of ownTables)
    await transaction.run(`DELETE FROM ${table} WHERE ${column} = $1`, id);
  moment.ledger.note(organizationId, { bytes: -(sum?.bytes ?? 0) });
  const details = {
    versions,
    aliases: aliases.map((alias) => `${alias.name} ${alias.version}`).join(", "),
  };
  await noteModel(transaction, name, { action: "model.deleted", subject: id, details }, moment);
}

const ownTables = [
  ["alias", "owner"],
  ["alias_change", "owner"],
  ["model_version_tag", "model"],
  ["model_version", "model"],
  ["registered_model_tag", "model"],
  ["registered_model", "id"],
] as const;

/** The rows of models and the bytes that they count; recount.ts sums the same. */
export const modelAmounts = [
  `SELECT id AS model, ${rowBytes} + octet_length(name) + octet_length(description) AS bytes FROM registered_model`,
  `SELECT model, ${rowBytes} + octet_length(key) + octet_length(value) AS bytes FROM registered_model_tag`,
  `SELECT model, ${rowBytes} + octet_length(key) + octet_length(value) AS bytes FROM model_version_tag`,
  `SELECT model, ${rowBytes} + octet_length(source) + octet_length(storage) + octet_length(description) + coalesce(octet_length(run_link), 0)
     AS bytes FROM model_version`,
  `SELECT owner AS model, ${rowBytes} + octet_length(name) + octet_length(version) AS bytes FROM alias`,
  `SELECT owner AS model, ${rowBytes} + octet_length(name) + coalesce(octet_length(version_before), 0)
     + coalesce(octet_length(version_after), 0) AS bytes FROM alias_change`,
];

/** Moves the time of the last change. */
export async function touchModel(
  transaction: Transaction,
  id: string,
  { nowMs }: Counting,
): Promise<void> {
  await transaction.run("UPDATE registered_model SET changed_at_ms = $2 WHERE id = $1", id, nowMs);
}

export async function noteModel(
  transaction: Transaction,
  { organizationId, model, by: { actor, address } }: Changing,
  { details = {}, ...event }: Pick<AuditEntry, "action" | "details"> & { subject: string },
  moment: Counting,
): Promise<void> {
  const entry = { actor, address, organizationId, ...event, details: { name: model, ...details } };
  await audit(transaction, entry, moment);
}
