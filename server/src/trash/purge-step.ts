import type { TrashEntry } from "@lossless/protocol";
import { forgetShown } from "../accounts/rows/guests/links.ts";
import { findArtifact } from "../artifacts/rows/artifact.ts";
import { removeCommitted } from "../artifacts/rows/removal.ts";
import { audit } from "../database/audit/audit.ts";
import type { Reader, Transaction } from "../database/database.ts";
import type { Moment } from "../ground/clock.ts";
import { forgetFiles } from "../artifacts/rows/mlflow/remove.ts";
import { keysOf } from "../points/filenames.ts";
import { forgetAttempts } from "../attempts/forget.ts";
import { forgetConsole } from "../console/forget.ts";
import { forgetPoints } from "../points/forget-points.ts";
import type { Dropped } from "../points/partition-dropper.ts";
import { forgetSeries, nextPartitions } from "../points/partition-rows.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import { countPurged } from "../database/quotas/recorded-points.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { type Erranding, isElsewhere, readOwing } from "../database/errands.ts";
import { forgetLineage } from "../experiments/lineage/links.ts";
import { forgetLogged } from "../experiments/logged/forget-logged.ts";
import { forgetMetric, forgetRun } from "../experiments/mlflow/forget.ts";
import {
  forgetConfig,
  forgetNonfinite,
  forgetSummaries,
} from "../experiments/summaries/forget-summaries.ts";
import { purgeOrganization } from "./purge-organization.ts";
import { forgetDropped, seriesToDrop } from "./purge-series.ts";
import { experimentOfSeries } from "./series-subject.ts";

const annotationsPerStep = 200;
const loggedPerStep = 2_000;
const lineagePerStep = 2_000;
const tokensPerStep = 500;

/** Lists the ids of due entries, longest due first, with exceptions. */
export async function duePurges(
  reader: Reader,
  { limit, without }: { limit: number; without: string[] },
  { nowMs }: Moment,
): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(
    `SELECT id FROM trash WHERE purge_at_ms <= $1 AND NOT (${reader.isOneOf("id", "$2")})
     ORDER BY purge_at_ms, id LIMIT $3`,
    nowMs,
    JSON.stringify(without),
    limit,
  );
  return rows.map(({ id }) => id);
}

/**
 * A purge under way: after an interruption the next step continues where the last one committed.
 */
interface Purge {
  /** Its points were on a worker, which has removed and counted its own rows. */
  wasElsewhere: boolean;
  transaction: Transaction;
  organizationId: string;
  experimentId: string;
  trashedAtMs: number;
  context: Counting;
}

export interface PurgeStepInput {
  id: string;
  /** The worker with the points has removed all of its own. */
  isGoneElsewhere?: boolean;
}

export interface PurgeStepTaken {
  rows: number;
  isDone: boolean;
  isWaiting?: boolean;
  series?: Dropped;
  /** The worker has to remove its own rows first. */
  elsewhere?: { organizationId: string; experimentId: string };
}

/**
 * `trash.purgeStep`: removes some rows of an entry of the trash and returns their number; `isDone`
 * when none is left. Each step is one transaction, small enough that no write waits long. `series`
 * has to leave the segments first: `trash.endSeries` ends that.
 */
export async function purgeStep(
  transaction: Transaction,
  { id, isGoneElsewhere = false }: PurgeStepInput,
  context: Counting & Erranding,
): Promise<PurgeStepTaken> {
  const row = await transaction.get<PurgedRow>(
    `SELECT organization, kind, subject, name, version, series, trashed_at_ms, purge_at_ms
     FROM trash WHERE id = $1${transaction.forUpdate}`,
    id,
  );
  // Restored, or purged by another node.
  if (row === undefined || row.purge_at_ms > context.nowMs) return { rows: 0, isDone: true };
  await transaction.run("UPDATE trash SET is_purging = 1 WHERE id = $1 AND is_purging = 0", id);
  if (context.errands !== undefined && (await isOwed(transaction, row)))
    return { rows: 0, isDone: false, isWaiting: true };
  const { organization: organizationId, subject } = row;
  if (row.kind === "experiment") {
    const trashedAtMs = row.trashed_at_ms;
    const experimentId = subject;
    const wasElsewhere =
      context.errands !== undefined && (await isElsewhere(transaction, experimentId));
    if (wasElsewhere && !isGoneElsewhere)
      return { rows: 0, isDone: false, elsewhere: { organizationId, experimentId } };
    const whose = { organizationId, experimentId, trashedAtMs };
    const purge = { transaction, ...whose, wasElsewhere, context };
    for (const step of steps) {
      const rows = await step(purge);
      if (rows > 0) return { rows, isDone: false };
    }
    await end(purge);
  } else if (row.kind === "organization") {
    const trashedAtMs = row.trashed_at_ms;
    return purgeOrganization({ transaction, entryId: id, organizationId, trashedAtMs, context });
  } else if (row.kind === "series") {
    const series = await seriesToDrop(transaction, subject, context);
    // Its experiment is being purged, and takes it along.
    if (series === undefined) return { rows: 0, isDone: false, isWaiting: true };
    // They come first: looking through the segments costs more than they do.
    const whose = { organizationId, experimentId: series.experimentId, key: row.series! };
    const rows = await forgetMetric(transaction, whose, context.ledger);
    return { rows, isDone: false, ...(rows === 0 && { series }) };
  } else await purgeVersion(transaction, row, context);
  await transaction.run("DELETE FROM trash WHERE id = $1", id);
  return { rows: 1, isDone: true };
}

const steps = [
  closeHead,
  points,
  consoleLines,
  attempts,
  partitions,
  dropped,
  nonfinite,
  annotations,
  logged,
  lineage,
  files,
  run,
  guestLinks,
  tokens,
];

interface PurgedRow {
  organization: string;
  kind: TrashEntry["kind"] | "organization";
  subject: string;
  name: string;
  version: string | null;
  series: string | null;
  trashed_at_ms: number;
  purge_at_ms: number;
}

/** Whether a worker has yet to follow what was done to the subject, its deletion too. */
async function isOwed(transaction: Transaction, { kind, subject }: PurgedRow): Promise<boolean> {
  if (kind !== "experiment" && kind !== "series") return false;
  const experimentId = kind === "series" ? experimentOfSeries(subject) : subject;
  return (await readOwing(transaction, [experimentId])).length > 0;
}

/** Purges a version. Its files are removed by the sweeper, which knows how to reach their store. */
async function purgeVersion(
  transaction: Transaction,
  { organization: organizationId, subject, name: artifact, version }: PurgedRow,
  context: Counting,
): Promise<void> {
  await findArtifact(transaction, { organizationId, artifact }, { lock: true });
  await removeCommitted(transaction, subject, context);
  const entry = { ...byService, organizationId, action: "version.removed", subject };
  await audit(transaction, { ...entry, details: { artifact, version } }, context);
}

const byService = { actor: "service", address: null };

/**
 * Closes the head. From then on the experiment is not sealed, merged, folded or indexed: each of
 * these begins with one of these rows.
 */
async function closeHead(purge: Purge): Promise<number> {
  const { transaction, organizationId, experimentId } = purge;
  const heads = await transaction.all<{ points: number }>(
    "DELETE FROM head WHERE experiment = $1 RETURNING points",
    experimentId,
  );
  if (heads.length === 0) return 0;
  await transaction.run("DELETE FROM summarized WHERE experiment = $1", experimentId);
  await forgetConfig(transaction, experimentId);
  await transaction.run(
    "DELETE FROM version_experiment WHERE organization = $1 AND experiment = $2",
    organizationId,
    experimentId,
  );
  if (purge.wasElsewhere)
    await transaction.run("DELETE FROM errand WHERE experiment = $1", experimentId);
  // Days go on saying how many points came on them.
  else await countPurged(transaction, organizationId, heads[0].points);
  return 1;
}

function points({ transaction, context, ...experiment }: Purge): Promise<number> {
  return forgetPoints(transaction, experiment, context);
}

function consoleLines({ transaction, context, ...experiment }: Purge): Promise<number> {
  return forgetConsole(transaction, experiment, context);
}

function attempts({ transaction, context, ...experiment }: Purge): Promise<number> {
  return forgetAttempts(transaction, experiment, context);
}

/** Queues files for the sweeper; their bytes count until it has removed them. */
function files({ transaction, experimentId: owner, context, ...purge }: Purge): Promise<number> {
  return forgetFiles(transaction, { owner, ...purge }, context);
}

function run({ transaction, context, ...experiment }: Purge): Promise<number> {
  return forgetRun(transaction, experiment, context.ledger);
}

function guestLinks({ transaction, experimentId, context }: Purge): Promise<number> {
  return forgetShown(transaction, experimentId, context);
}

async function partitions({ transaction, context, ...purge }: Purge): Promise<number> {
  const { organizationId, experimentId, wasElsewhere } = purge;
  const numbers = await nextPartitions(transaction, experimentId);
  if (numbers.length === 0) return 0;
  await forgetSummaries(transaction, organizationId, experimentId, numbers);
  return forgetSeries(transaction, purge, wasElsewhere ? undefined : context);
}

function dropped({ transaction, context, wasElsewhere, ...experiment }: Purge): Promise<number> {
  return forgetDropped(transaction, experiment, wasElsewhere ? undefined : context);
}

function nonfinite({ transaction, organizationId, experimentId }: Purge): Promise<number> {
  return forgetNonfinite(transaction, organizationId, experimentId);
}

async function annotations(purge: Purge): Promise<number> {
  const { transaction, organizationId, experimentId, context } = purge;
  const rows = await transaction.all<{ text: string; meta: string }>(
    `DELETE FROM annotation WHERE experiment = $1 AND number IN (
       SELECT number FROM annotation WHERE experiment = $1 ORDER BY number LIMIT $2)
     RETURNING text, meta`,
    experimentId,
    annotationsPerStep,
  );
  const bytes = rows.reduce((sum, { text, meta }) => sum + rowBytes + textBytes(text, meta), 0);
  if (bytes > 0) context.ledger.note(organizationId, { bytes: -bytes });
  return rows.length;
}

function logged({ transaction, experimentId }: Purge): Promise<number> {
  return forgetLogged(transaction, experimentId, loggedPerStep);
}

function lineage({ transaction, experimentId }: Purge): Promise<number> {
  return forgetLineage(transaction, experimentId, lineagePerStep);
}

function tokens({ transaction, experimentId }: Purge): Promise<number> {
  return transaction.run(
    `DELETE FROM token WHERE hash IN (
       SELECT hash FROM token WHERE experiment = $1 ORDER BY issued_at_ms LIMIT $2)`,
    experimentId,
    tokensPerStep,
  );
}

/** Ends the purge. Id and slug stay, so that nothing can be recorded under either again. */
async function end({ transaction, organizationId, experimentId, context }: Purge): Promise<void> {
  const row = await transaction.get<Record<"description" | "meta", string> & Failure>(
    "SELECT description, meta, error, error_meta FROM experiment WHERE id = $1",
    experimentId,
  );
  if (row === undefined) throw new Error(`BUG: ${experimentId} is in the trash and not there`);
  await transaction.run(
    `UPDATE experiment SET description = '', meta = '', error = NULL, error_meta = NULL, purged_at_ms = $2
     WHERE id = $1`,
    experimentId,
    context.nowMs,
  );
  // Objects stored for the experiment by a process that died before it published them.
  await transaction.run(
    "INSERT INTO garbage (key, delete_after_ms) VALUES ($1, $2)",
    keysOf(experimentId),
    context.nowMs,
  );
  const { description, meta, error, error_meta: errorMeta } = row;
  const bytes = textBytes(description, meta, error, errorMeta);
  context.ledger.note(organizationId, { bytes: -bytes });
  const subject = experimentId;
  const entry = { ...byService, organizationId, action: "experiment.removed", subject };
  await audit(transaction, entry, context);
}

interface Failure {
  error: string | null;
  error_meta: string | null;
}
