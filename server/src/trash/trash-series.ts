import type { TrashEntry } from "@lossless/protocol";
import { type Actor, audit } from "../database/audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import { experimentNotFound } from "../experiments/identity.ts";
import { ServiceError } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { type Erranding, isElsewhere } from "../database/errands.ts";
import { markMetric } from "../experiments/mlflow/forget.ts";
import { forgetSeriesSummaries } from "../experiments/summaries/forget-summaries.ts";
import { moveSeriesAside, moveSeriesBack } from "../points/moved-series.ts";
import { entriesOf, entryColumns, type TrashRow } from "./entry.ts";
import { experimentOfSeries, seriesSubject } from "./series-subject.ts";
import { dayMs, keptDays } from "./setting.ts";

export interface TrashSeries {
  organizationId: string;
  experimentId: string;
  seriesNames: string[];
  /** Days of keeping where the organization has set none. */
  daysDefault: number;
  by: Actor;
}

/**
 * `trash.series`: removes series of an experiment from every read at once, with all their
 * partitions; they take no further point. The rows of their partitions are moved aside, so that no
 * reader has to exclude them; their numbers stay taken. A series that is in the trash is left as it
 * is. Throws `experiment_not_found` and `not_found` before anything is changed.
 *
 * The operation must be alone in its group: a point of the same group would be behind the fence.
 */
export async function trashSeries(
  transaction: Transaction,
  { organizationId, experimentId, seriesNames, daysDefault, by }: TrashSeries,
  context: Counting & Erranding,
): Promise<{ entries: TrashEntry[]; experimentIds: string[] }> {
  const { nowMs, errands } = context;
  errands?.owed.add(experimentId);
  const days = await keptDays(transaction, organizationId, daysDefault);
  const experiment = await transaction.get<{ slug: string }>(
    `SELECT slug FROM experiment
     WHERE id = $1 AND organization = $2 AND trashed_at_ms IS NULL${transaction.forUpdate}`,
    experimentId,
    organizationId,
  );
  if (experiment === undefined) throw experimentNotFound({ experimentId });
  await transaction.get(
    `SELECT log_seq FROM head WHERE experiment = $1${transaction.forUpdate}`,
    experimentId,
  );
  const names = [...new Set(seriesNames)].sort();
  const whose = { organizationId, experimentId, slug: experiment.slug };
  const times = { nowMs, purgeAtMs: nowMs + days * dayMs };
  for (const name of names) await trashOne(transaction, { ...whose, name }, times, by, context);
  await noteChange(transaction, experimentId);
  const rows = await transaction.all<TrashRow>(
    `SELECT ${entryColumns} WHERE trash.kind = 'series'
       AND ${transaction.isOneOf("trash.subject", "$1")} ORDER BY trash.id`,
    JSON.stringify(names.map((name) => seriesSubject(experimentId, name))),
  );
  const entries = await entriesOf(transaction, organizationId, rows);
  return { entries, experimentIds: [experimentId] };
}

interface OneSeries {
  organizationId: string;
  experimentId: string;
  slug: string;
  name: string;
}

async function trashOne(
  transaction: Transaction,
  { organizationId, experimentId, slug, name }: OneSeries,
  { nowMs, purgeAtMs }: { nowMs: number; purgeAtMs: number },
  by: Actor,
  { ledger, errands }: Counting & Erranding,
): Promise<void> {
  const subject = seriesSubject(experimentId, name);
  const isThere = await transaction.get<{ id: string }>(
    "SELECT id FROM trash WHERE kind = 'series' AND subject = $1",
    subject,
  );
  if (isThere !== undefined) return;
  const id = newId(nowMs);
  // An approximate number: points that are not folded yet are left out.
  const added = await transaction.run(
    `INSERT INTO trash (id, organization, kind, subject, name, series, points, bytes, actor,
       trashed_at_ms, purge_at_ms, is_purging)
     SELECT $1, $2, 'series', $3, $4, $5, folded.points,
       CAST((head.told_bytes + (SELECT CAST(coalesce(sum(bytes), 0) AS DOUBLE PRECISION) FROM segment
             WHERE experiment = $6 AND kind = 'points')) * folded.points
         / CASE WHEN head.points = 0 THEN 1 ELSE head.points END AS BIGINT), $7, $8, $9, 0
     FROM head, (SELECT CAST(coalesce(sum(points), 0) AS BIGINT) AS points FROM metric_summary
       JOIN metric_name ON metric_name.id = metric_summary.metric
       WHERE metric_name.organization = $2 AND metric_name.name = $5 AND metric_name.meta = ''
         AND metric_summary.experiment = $6) AS folded
     WHERE head.experiment = $6
       AND EXISTS (SELECT 1 FROM series WHERE experiment = $6 AND name = $5)`,
    id,
    organizationId,
    subject,
    slug,
    name,
    experimentId,
    by.actor,
    nowMs,
    purgeAtMs,
  );
  if (added === 0) {
    throw new ServiceError("not_found", `The experiment has no series ${JSON.stringify(name)}.`);
  }
  const bytes = await moveSeriesAside(transaction, experimentId, name, id);
  // A worker counts its own rows.
  const isHere = errands === undefined || !(await isElsewhere(transaction, experimentId));
  if (bytes > 0 && isHere) ledger.note(organizationId, { bytes: -bytes });
  await errands?.leave(experimentId, "trashSeries", { name, trash: id });
  await forgetSeriesSummaries(transaction, { organizationId, experimentId, name });
  await markMetric(transaction, experimentId, name, true);
  const entry = { ...by, organizationId, action: "series.trashed", subject: experimentId };
  await audit(transaction, { ...entry, details: { slug, series: name, purgeAtMs } }, { nowMs });
}

/**
 * Marks the experiment as changed: caches of partitions, in the writers of all nodes too, and folds
 * under way are outdated. Non-finite values are counted anew.
 */
async function noteChange(transaction: Transaction, experimentId: string): Promise<void> {
  await transaction.run(
    "UPDATE head SET manifest_seq = manifest_seq + 1, revision = revision + 1 WHERE experiment = $1",
    experimentId,
  );
  await transaction.run(
    `UPDATE summarized SET metrics_version = metrics_version + 1, meta_version = meta_version + 1
     WHERE experiment = $1`,
    experimentId,
  );
}

/**
 * Restores a series with its points; its summaries are computed anew. Throws `conflict` while its
 * experiment is in the trash.
 */
export async function restoreSeries(
  transaction: Transaction,
  organizationId: string,
  { id, subject, name: slug, series: name }: TrashRow,
  by: Actor,
  context: Counting & Erranding,
): Promise<void> {
  const experimentId = experimentOfSeries(subject);
  const experiment = await transaction.get<{ trashed_at_ms: number | null }>(
    `SELECT trashed_at_ms FROM experiment WHERE id = $1${transaction.forUpdate}`,
    experimentId,
  );
  if (experiment?.trashed_at_ms !== null) {
    throw new ServiceError("conflict", `Restore the experiment ${slug} first: it is deleted, too.`);
  }
  const bytes = await moveSeriesBack(transaction, experimentId, id);
  const { errands, ledger } = context;
  const isHere = errands === undefined || !(await isElsewhere(transaction, experimentId));
  if (isHere) ledger.note(organizationId, { bytes });
  await errands?.leave(experimentId, "restoreSeries", { trash: id });
  await markMetric(transaction, experimentId, name!, false);
  await noteChange(transaction, experimentId);
  await transaction.run(
    "UPDATE summarized SET counted = 0 WHERE experiment = $1 AND folded_seq > 0",
    experimentId,
  );
  const entry = { ...by, organizationId, action: "series.restored", subject: experimentId };
  await audit(transaction, { ...entry, details: { slug, series: name } }, context);
}
