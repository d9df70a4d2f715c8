import { limits } from "@lossless/protocol/limits";
import type { Transaction } from "../../database/database.ts";
import { insertNewRows } from "../../database/rows.ts";
import { touchHead } from "../head.ts";
import { compareBytes } from "../../ground/byte-order.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { rowBytes, textBytes } from "../../database/quotas/amounts.ts";
import type { Counting, Ledger } from "../../database/quotas/ledger.ts";
import type { Tag } from "./change-folder.ts";
import { addUse } from "../lineage/links.ts";
import type { NamedVersion } from "../lineage/subject.ts";
import { storedInteger } from "./metric.ts";
import { folderIdOf, requireActiveRun } from "./run-row.ts";
import { versionInSource } from "./source-version.ts";

/** A data set as MLflow's clients describe it; name and digest are its identity in a folder. */
export interface Dataset {
  name: string;
  digest: string;
  sourceType: string;
  source: string;
  schema: string | null;
  profile: string | null;
}

export interface DatasetInput {
  dataset: Dataset;
  tags: Tag[];
  /** The version that its source names by a registered model, if it does. */
  registered?: NamedVersion | undefined;
}

/** Tag with the purpose for which a data set was read. */
export const contextTag = "mlflow.data.context";

interface RunScope {
  organizationId: string;
  runId: string;
}

/** `run.inputs`: records a run's inputs. Those recorded before stay as they were first recorded. */
export async function addInputs(
  transaction: Transaction,
  {
    datasets,
    modelIds,
    hosts,
    ...whose
  }: RunScope & {
    datasets: DatasetInput[];
    modelIds: string[];
    /** Our hosts: an address there may name a version as a data set's source. */
    hosts: readonly string[];
  },
  { nowMs, ledger }: Counting,
): Promise<{ experimentId: string }> {
  const { organizationId, runId } = whose;
  const run = await requireActiveRun(transaction, organizationId, runId);
  await lockHead(transaction, runId);
  let added = 0;
  if (datasets.length > 0) {
    const wanted = new Map<string, DatasetInput>();
    for (const input of datasets) {
      const key = keyOf(input.dataset);
      if (!wanted.has(key)) wanted.set(key, input);
    }
    const inputs = [...wanted.values()];
    const place = { organizationId, folderId: folderIdOf(run) };
    const ids = await ensureDatasets(transaction, place, inputs, { nowMs, ledger });
    added += await linkDatasets(transaction, whose, inputs, ids, ledger);
    for (const { dataset, tags, registered } of inputs) {
      const version = versionInSource(dataset.source, hosts) ?? registered;
      if (version === undefined) continue;
      const role = contextOf(tags) ?? "";
      const used = { ...version, role: role.slice(0, limits.lineageRoleCharactersMax), named: "" };
      await addUse(transaction, { experimentId: runId, atMs: nowMs }, used);
    }
  }
  const models = modelIds.map((modelId) => ({ modelId, step: 0n }));
  added += await linkModels(transaction, whose, "in", models, ledger);
  if (added > 0) await touchHead(transaction, runId);
  return { experimentId: runId };
}

export interface ModelOutput {
  modelId: string;
  step: bigint;
}

/** `run.outputs`: the models that a run made. The first step of each stays. */
export async function addOutputs(
  transaction: Transaction,
  { models, ...whose }: RunScope & { models: ModelOutput[] },
  { ledger }: Counting,
): Promise<{ experimentId: string }> {
  const { organizationId, runId } = whose;
  await requireActiveRun(transaction, organizationId, runId);
  await lockHead(transaction, runId);
  const added = await linkModels(transaction, whose, "out", models, ledger);
  if (added > 0) await touchHead(transaction, runId);
  return { experimentId: runId };
}

/** Requests for one run wait for each other here, as those that bring points do. */
export async function lockHead(transaction: Transaction, runId: string): Promise<void> {
  await transaction.get(
    `SELECT experiment FROM head WHERE experiment = $1${transaction.forUpdate}`,
    runId,
  );
}

function keyOf({ name, digest }: Pick<Dataset, "name" | "digest">): string {
  return JSON.stringify([name, digest]);
}

/** Returns the bytes of a data set's row for its organization. */
export function datasetBytes(bytes: number): number {
  return rowBytes + bytes;
}

/** Returns the ids of data sets, by key, whose rows are locked until the transaction ends. */
async function ensureDatasets(
  transaction: Transaction,
  { organizationId, folderId }: { organizationId: string; folderId: string },
  inputs: readonly DatasetInput[],
  { nowMs, ledger }: Counting,
): Promise<Map<string, string>> {
  // In one order, so that two nodes that store the same ones do not wait in a circle.
  const ordered = inputs.toSorted((one, other) =>
    compareBytes(keyOf(one.dataset), keyOf(other.dataset)),
  );
  const rows = ordered.map(({ dataset }) => {
    const { name, digest, sourceType, source, schema, profile } = dataset;
    const bytes = textBytes(name, digest, sourceType, source, schema, profile);
    const texts = [name, digest, sourceType, source, schema, profile];
    return [newId(nowMs), organizationId, folderId, ...texts, bytes];
  });
  const columns = ["name", "digest", "source_type", "source", "schema", "profile", "bytes"];
  const added = await insertNewRows<{ bytes: number }>(
    transaction,
    "dataset",
    ["id", "organization", "folder", ...columns],
    rows,
    "bytes",
  );
  const bytes = added.reduce((sum, row) => sum + datasetBytes(row.bytes), 0);
  if (bytes > 0) await ledger.charge(organizationId, { bytes });
  const found = await transaction.all<{ id: string; name: string; digest: string }>(
    `SELECT id, name, digest FROM dataset WHERE organization = $1 AND folder = $2
       AND ${transaction.isOneOf("digest", "$3")} ORDER BY id${transaction.forUpdate}`,
    organizationId,
    folderId,
    JSON.stringify(inputs.map(({ dataset }) => dataset.digest)),
  );
  return new Map(found.map((row) => [keyOf(row), row.id]));
}

function contextOf(tags: readonly Tag[]): string | null {
  return tags.find(({ key }) => key === contextTag)?.value ?? null;
}

interface InputRow {
  tags: string;
  context: string | null;
}

/** Returns the bytes of an input's row. */
export function inputBytes({ tags, context }: InputRow): number {
  return rowBytes + textBytes(tags, context);
}

async function linkDatasets(
  transaction: Transaction,
  { organizationId, runId }: RunScope,
  inputs: readonly DatasetInput[],
  ids: ReadonlyMap<string, string>,
  ledger: Ledger,
): Promise<number> {
  const row = await transaction.get<{ next: number }>(
    "SELECT coalesce(max(number), 0) + 1 AS next FROM run_input WHERE experiment = $1",
    runId,
  );
  const rows = inputs.map(({ dataset, tags }, at) => {
    const id = ids.get(keyOf(dataset));
    if (id === undefined) throw new Error(`BUG: the data set ${dataset.name} was not stored`);
    return [runId, id, row!.next + at, JSON.stringify(tags), contextOf(tags)];
  });
  const added = await insertNewRows<InputRow>(
    transaction,
    "run_input",
    ["experiment", "dataset", "number", "tags", "context"],
    rows,
    "tags, context",
  );
  if (added.length === 0) return 0;
  const bytes = added.reduce((sum, one) => sum + inputBytes(one), 0);
  await ledger.charge(organizationId, { bytes });
  await requireDatasetBytes(transaction, runId);
  return added.length;
}

/** Everything that a run read is in the one reply that shows the run. */
async function requireDatasetBytes(transaction: Transaction, runId: string): Promise<void> {
  const row = await transaction.get<{ bytes: number }>(
    `SELECT sum(dataset.bytes) AS bytes FROM run_input
     JOIN dataset ON dataset.id = run_input.dataset WHERE run_input.experiment = $1`,
    runId,
  );
  const { runDatasetBytesMax } = limits;
  if (row!.bytes <= runDatasetBytesMax) return;
  throw new ServiceError(
    "bad_request",
    `The descriptions of a run's data sets, such as schemas and profiles, have at most ${runDatasetBytesMax} bytes together.`,
  );
}

const directions = { in: 0, out: 1 } as const;

async function linkModels(
  transaction: Transaction,
  { organizationId, runId }: RunScope,
  direction: keyof typeof directions,
  models: readonly ModelOutput[],
  ledger: Ledger,
): Promise<number> {
  if (models.length === 0) return 0;
  const row = await transaction.get<{ next: number }>(
    "SELECT coalesce(max(number), 0) + 1 AS next FROM run_model WHERE experiment = $1",
    runId,
  );
  const added = await insertNewRows<{ model: string }>(
    transaction,
    "run_model",
    ["experiment", "direction", "model", "number", "step"],
    models.map(({ modelId, step }, at) => [
      runId,
      directions[direction],
      modelId,
      row!.next + at,
      storedInteger(step),
    ]),
    "model",
  );
  const bytes = added.reduce((sum, { model }) => sum + rowBytes + textBytes(model), 0);
  if (bytes > 0) await ledger.charge(organizationId, { bytes });
  return added.length;
}
