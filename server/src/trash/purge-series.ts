import { audit } from "../database/audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import { endDropped, forgetTrash } from "../points/dropped-rows.ts";
import { forgetDroppedRows } from "../points/partition-rows.ts";
import type { Dropped } from "../points/partition-dropper.ts";
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
  const rows = await transaction.all<{ partition: number; fence: number; trash: string }>(
    `SELECT partition, fence, trash FROM dropped_series WHERE experiment = $1
       AND trash IN (SELECT id FROM trash WHERE kind = 'series' AND is_purging = 1)`,
    experimentId,
  );
  const partitions = rows.map(({ partition }) => partition);
  const fence = rows.reduce((most, one) => Math.max(most, one.fence), 0);
  const trash = [...new Set(rows.map((row) => row.trash))];
  return { experimentId, partitions, fence, trash };
}

/** `isEndedElsewhere`: the worker with the points has ended it. */
export interface EndSeries {
  id: string;
  manifestSeq: number;
  isEndedElsewhere?: boolean;
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
  { id, manifestSeq, isEndedElsewhere = false }: EndSeries,
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
  const dropped = { organizationId, experimentId, trash: id, manifestSeq };
  const partitions = isEndedElsewhere
    ? await forgetTrash(transaction, dropped)
    : await endDropped(transaction, dropped, context);
  if (partitions === undefined) return { rows: 0, isDone: false };
  await transaction.run(
    "DELETE FROM nonfinite WHERE experiment = $1 AND name = $2 AND trashed = 1",
    experimentId,
    name,
  );
  await transaction.run(
    "UPDATE head SET revision = revision + 1 WHERE experiment = $1",
    experimentId,
  );
  await transaction.run("DELETE FROM trash WHERE id = $1", id);
  const by = { actor: "service", address: null };
  const entry = { ...by, organizationId, action: "series.removed", subject: experimentId };
  await audit(transaction, { ...entry, details: { slug, series: name } }, context);
  return { rows: partitions, isDone: true };
}

/** Takes the next step of removing the rest of deleted series of an experiment that is purged. */
export async function forgetDropped(
  transaction: Transaction,
  { organizationId, experimentId }: { organizationId: string; experimentId: string },
  context: Counting | undefined,
): Promise<number> {
  const { rows, trash } = await forgetDroppedRows(
    transaction,
    { organizationId, experimentId },
    context,
  );
  if (trash.length > 0)
    await transaction.run(
      `DELETE FROM trash WHERE ${transaction.isOneOf("id", "$1")}`,
      JSON.stringify(trash),
    );
  return rows;
}
