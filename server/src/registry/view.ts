import type { ModelEntry, ModelList, ViewedModel, ViewedModelVersion } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { type AliasHistoryPage, readAliasChanges } from "../artifacts/rows/aliases/alias.ts";
import { ServiceError } from "../ground/errors.ts";
import { shownActor } from "../database/audit/shown-actor.ts";
import type { Reader, Transaction } from "../database/database.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { isAscii } from "../experiments/mlflow/condition.ts";
import type { PageEnd } from "../experiments/mlflow/order.ts";
import { readShownNames } from "../experiments/mlflow/shown-names.ts";
import { type Changing, createModel, findModel, type ModelName, requireModel } from "./model.ts";
import { addVersion } from "./model-versions.ts";
import {
  type ModelVersion,
  readModel,
  readVersion,
  versionColumns,
  type VersionRow,
  versionTables,
  type WholeModel,
  wholeVersions,
} from "./read.ts";
import { searchModels } from "./search.ts";

/** `registry.list`: models by name. */
export async function listModels(
  reader: Reader,
  {
    organizationId,
    search,
    after,
    limit,
  }: { organizationId: string; search: string; after: PageEnd | undefined; limit: number },
): Promise<Omit<ModelList, "next"> & { next: PageEnd | undefined }> {
  const field = { kind: "attribute", key: "name" } as const;
  const comparator = isAscii(search) ? ("ILIKE" as const) : ("LIKE" as const);
  const conditions = search === "" ? [] : [{ field, comparator, value: `%${search}%` }];
  const orderBy = [{ field, isAscending: true }];
  const most = Math.min(limit, limits.modelsListedMax);
  const asked = { organizationId, conditions, orderBy, limit: most, after };
  const { models, next } = await searchModels(reader, asked);
  return { models: models.map(entryOf), next };
}

function entryOf({
  name,
  description,
  latest,
  aliases,
  createdAtMs,
  changedAtMs,
}: WholeModel): ModelEntry {
  return {
    model: name,
    description,
    latest: latest.length === 0 ? null : Math.max(...latest.map(({ number }) => number)),
    aliases: aliases.map(({ alias, version }) => ({ alias, version: Number(version) })),
    createdAtMs,
    changedAtMs,
  };
}

/** `registry.view`: a model with a page of its versions, the highest first. */
export async function viewModel(
  reader: Reader,
  { before, limit, ...name }: ModelName & { before: number | null; limit: number },
): Promise<ViewedModel> {
  const most = Math.min(limit, limits.modelVersionsListedMax);
  const model = await readModel(reader, name);
  const rows = await reader.all<VersionRow>(
    `SELECT ${versionColumns} FROM ${versionTables}
     WHERE model_version.model = $1 AND model_version.number < $2
     ORDER BY model_version.number DESC LIMIT $3`,
    model.id,
    before ?? Number.MAX_SAFE_INTEGER,
    most + 1,
  );
  const page = rows.slice(0, most);
  const versions = await shownVersions(
    reader,
    name.organizationId,
    await wholeVersions(reader, page),
  );
  const next = page.length < rows.length ? String(page.at(-1)!.number) : null;
  return { ...entryOf(model), tags: model.tags, versions, next };
}

/** `registry.viewVersion`: by its number, `latest`, or an alias with its mark. */
export async function viewVersion(
  reader: Reader,
  { version, ...name }: ModelName & { version: { number: number } | { alias: string } },
): Promise<ViewedModelVersion> {
  const found = await readVersion(reader, { ...name, version });
  const [shown] = await shownVersions(reader, name.organizationId, [found]);
  return shown;
}

async function shownVersions(
  reader: Reader,
  organizationId: string,
  versions: readonly ModelVersion[],
): Promise<ViewedModelVersion[]> {
  const runs = JSON.stringify([...new Set(versions.flatMap(({ run }) => run ?? []))]);
  const experiments = await reader.all<{ id: string; slug: string }>(
    `SELECT id, slug FROM experiment WHERE organization = $1 AND ${reader.isOneOf("id", "$2")}
       AND trashed_at_ms IS NULL`,
    organizationId,
    runs,
  );
  const slugs = new Map(experiments.map(({ id, slug }) => [id, slug]));
  const names = await readShownNames(reader, organizationId, [...slugs.keys()]);
  const actors = await actorNames(reader, versions);
  return versions.map((version) => {
    const { run, createdBy } = version;
    const slug = run === null ? undefined : slugs.get(run);
    return {
      model: version.name,
      version: version.number,
      artifact: version.artifact,
      artifactVersion: version.artifactVersion,
      source: version.source,
      experiment:
        slug === undefined ? null : { experimentId: run!, slug, name: names.get(run!) ?? null },
      description: version.description,
      aliases: version.aliases,
      tags: version.tags,
      createdAtMs: version.createdAtMs,
      createdBy: actors.get(createdBy) ?? createdBy,
    };
  });
}

async function actorNames(
  reader: Reader,
  versions: readonly ModelVersion[],
): Promise<Map<string, string>> {
  const ids = JSON.stringify([...new Set(versions.map(({ createdBy }) => createdBy))]);
  const people = await reader.all<{ actor: string; email: string }>(
    `SELECT id AS actor, email FROM person WHERE ${reader.isOneOf("id", "$1")}`,
    ids,
  );
  const keys = await reader.all<{ actor: string; key_name: string }>(
    `SELECT id AS actor, name AS key_name FROM api_key WHERE ${reader.isOneOf("id", "$1")}`,
    ids,
  );
  return new Map([
    ...people.map((one) => [one.actor, shownActor({ ...one, key_name: null })] as const),
    ...keys.map((one) => [one.actor, shownActor({ ...one, email: null })] as const),
  ]);
}

/**
 * `registry.link`: adds a version of an artifact to a model, which is made if there is none. A
 * version that the model has already is its answer.
 */
export async function linkVersion(
  transaction: Transaction,
  {
    artifact,
    version,
    description,
    ...name
  }: Changing & { artifact: string; version: string; description: string },
  moment: Counting,
): Promise<{ number: number }> {
  await makeMissingModel(transaction, name, moment);
  const content = { kind: "artifact" as const, artifact, version };
  return addVersion(transaction, { ...name, content, description, tags: [], isOnce: true }, moment);
}

async function makeMissingModel(
  transaction: Transaction,
  name: Changing,
  moment: Counting,
): Promise<void> {
  if ((await findModel(transaction, name)) !== undefined) return;
  try {
    await createModel(transaction, { ...name, description: "", tags: [] }, moment);
  } catch (error) {
    // Another node has just made it.
    if (!(error instanceof ServiceError && error.code === "conflict")) throw error;
  }
}

/** `registry.aliasHistory`: changes of the aliases of a model, newest first. */
export async function readModelAliasHistory(
  reader: Reader,
  { before, ...name }: ModelName & { before: number | null },
): Promise<AliasHistoryPage> {
  const { id } = await requireModel(reader, name);
  return readAliasChanges(reader, id, { alias: null, before });
}
