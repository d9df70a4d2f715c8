import { audit } from "../database/audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import type { Dropped } from "../points/partition-dropper.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Moment } from "../ground/clock.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { experimentOfSeries } from "./series-subject.ts";

/**
 * Returns the partitions of an experiment whose points are to be dropped from the segments, which
 * takes longer than a transaction may: those of all its series that are due, so that each segment
 * is rewritten once. Undefined: the experiment itself is purged.
 */
export async function seriesToDrop(
  transaction: Transaction,
  subject: string,
  { nowMs }: Moment,
): Promise<Dropped | undefined> {
  const experimentId = experimentOfSeries(subject);
  await transaction.run(
    `UPDATE trash SET is_purging = 1 WHERE kind = 'series' AND is_purging = 0 AND purge_at_ms <= $2
       AND id IN (SELECT trash FROM dropped_series WHERE experiment = $1)`,
    experimentId,
    nowMs,
  );
  const head = await transaction.get<{ log_seq: number }>(
    `SELECT log_seq FROM head WHERE experiment = $1${transaction.forUpdate}`,
    experimentId,
  );
  if (head === undefined) return undefined;
  const rows = await transaction.all<{ partition: number; fence: number }>(
    `SELECT partition, fence FROM dropped_series WHERE experiment = $1
       AND trash IN (SELECT id FROM trash WHERE kind = 'series' AND is_purging = 1)`,
    experimentId,
  );
  const partitions = rows.map(({ partition }) => partition);
  const fence = rows.reduce((most, one) => Math.max(most, one.fence), 0);
  return { experimentId, partitions, fence };
}

interface PurgedSeries {
  organization: string;
  subject: string;
  name: string;
  series: string;
  purge_at_ms: number;
}

/**
 * `trash.endSeries`: no segment had a point of the series any more when the manifest stood at
 * `manifestSeq`; the entry goes. Its partitions keep their numbers: under them its points are
 * known, and stored nowhere again.
 */
export async function endSeries(
  transaction: Transaction,
  { id, manifestSeq }: { id: string; manifestSeq: number },
  context: Counting,
): Promise<{ rows: number; isDone: boolean }> {
  const row = await transaction.get<PurgedSeries>(
    `SELECT organization, subject, name, series, purge_at_ms FROM trash
     WHERE id = $1 AND kind = 'series' AND is_purging = 1${transaction.forUpdate}`,
    id,
  );
  if (row === undefined) return { rows: 0, isDone: true };
  const { organization: organizationId, subject, name: slug, series: name } = row;
  const experimentId = experimentOfSeries(subject);
  const head = await transaction.get<{ manifest_seq: number }>(
    `SELECT manifest_seq FROM head WHERE experiment = $1${transaction.forUpdate}`,
    experimentId,
  );
  if (head?.manifest_seq !== manifestSeq) return { rows: 0, isDone: false };
  const partitions = await transaction.run(
    "UPDATE dropped_series SET trash = NULL WHERE experiment = $1 AND trash = $2",
    experimentId,
    id,
  );
  context.ledger.note(organizationId, { partitions: -partitions });
  await transaction.run(
    "DELETE FROM nonfinite WHERE experiment = $1 AND name = $2 AND trashed = 1",
    experimentId,
    name,
  );
  await transaction.run(
    "UPDATE head SET manifest_seq = manifest_seq + 1, revision = revision + 1 WHERE experiment = $1",
    experimentId,
  );
  await transaction.run("DELETE FROM trash WHERE id = $1", id);
  const by = { actor: "service", address: null };
  const entry = { ...by, organizationId, action: "series.removed", subject: experimentId };
  await audit(transaction, { ...entry, details: { slug, series: name } }, context);
  return { rows: partitions, isDone: true };
}

const partitionsPerStep = 200;

/** Takes the next step of removing the rest of deleted series of an experiment that is purged. */
export async function forgetDropped(
  transaction: Transaction,
  { organizationId, experimentId }: { organizationId: string; experimentId: string },
  { ledger }: Counting,
): Promise<number> {
  const rows = await transaction.all<{ name: string; meta: string; trash: string | null }>(
    `DELETE FROM dropped_series WHERE experiment = $1 AND partition IN (
       SELECT partition FROM dropped_series WHERE experiment = $1 ORDER BY partition LIMIT $2)
     RETURNING name, meta, trash`,
    experimentId,
    partitionsPerStep,
  );
  if (rows.length === 0) return 0;
  const bytes = rows.reduce((sum, { name, meta }) => sum + rowBytes + textBytes(name, meta), 0);
  const entries = rows.flatMap(({ trash }) => (trash === null ? [] : [trash]));
  ledger.note(organizationId, { bytes: -bytes, partitions: -entries.length });
  await transaction.run(
    `DELETE FROM trash WHERE ${transaction.isOneOf("id", "$1")}`,
    JSON.stringify([...new Set(entries)]),
  );
  return rows.length;
}
