import type { TrashEntry } from "@lossless/protocol";
import { type Actor, audit } from "../database/audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import { experimentNotFound } from "../experiments/identity.ts";
import { namesToFolder } from "../experiments/folders/path.ts";
import { newId } from "../ground/ids.ts";
import { logPointBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import type { Erranding } from "../database/errands.ts";
import { entriesOf, entryColumns, type TrashRow } from "./entry.ts";
import { dayMs, keptDays } from "./setting.ts";

export interface Trashing {
  organizationId: string;
  /** Days of keeping where the organization has set none. */
  daysDefault: number;
  by: Actor;
  /** Name of the rule that takes the experiments; absent when a member deletes them. */
  rule?: string;
}

export interface TrashExperiments extends Trashing {
  experimentIds: string[];
}

/**
 * `trash.experiments`: they leave folders, lists and every read at once, their tokens end, and
 * nothing of them is freed before the purge. One that is in the trash stays as it is. Throws
 * `experiment_not_found` before anything is changed.
 */
export async function trashExperiments(
  transaction: Transaction,
  { experimentIds, ...trashing }: TrashExperiments,
  context: Counting & Erranding,
): Promise<{ entries: TrashEntry[]; experimentIds: string[] }> {
  const { organizationId } = trashing;
  const ids = [...new Set(experimentIds)].sort();
  const purgeAtMs =
    context.nowMs + dayMs * (await keptDays(transaction, organizationId, trashing.daysDefault));
  for (const id of ids) await trashExperiment(transaction, id, { ...trashing, purgeAtMs }, context);
  const rows = await transaction.all<TrashRow>(
    `SELECT ${entryColumns} WHERE trash.organization = $1 AND trash.kind = 'experiment'
       AND ${transaction.isOneOf("trash.subject", "$2")} ORDER BY trash.id`,
    organizationId,
    JSON.stringify(ids),
  );
  const entries = await entriesOf(transaction, organizationId, rows);
  return { entries, experimentIds: ids };
}

interface Living {
  slug: string;
  folder: string | null;
  trashed_at_ms: number | null;
  purged_at_ms: number | null;
}

async function trashExperiment(
  transaction: Transaction,
  id: string,
  { organizationId, by, rule, purgeAtMs }: Trashing & { purgeAtMs: number },
  { nowMs, ledger, errands }: Counting & Erranding,
): Promise<void> {
  const found = await transaction.get<Living>(
    `SELECT slug, folder, trashed_at_ms, purged_at_ms FROM experiment
     WHERE id = $1 AND organization = $2${transaction.forUpdate}`,
    id,
    organizationId,
  );
  if (found === undefined || found.purged_at_ms !== null) {
    throw experimentNotFound({ experimentId: id });
  }
  errands?.owed.add(id);
  if (found.trashed_at_ms !== null) return;
  const { slug, folder } = found;
  const names = folder === null ? null : await namesToFolder(transaction, organizationId, folder);
  await transaction.run(
    "UPDATE experiment SET trashed_at_ms = $2, folder = NULL WHERE id = $1",
    id,
    nowMs,
  );
  await transaction.run(
    "UPDATE head SET trashed = 1, revision = revision + 1 WHERE experiment = $1",
    id,
  );
  await errands?.leave(id, "mark", { trashed: 1 });
  await transaction.run(
    "UPDATE token SET revoked_at_ms = $2 WHERE experiment = $1 AND revoked_at_ms IS NULL",
    id,
    nowMs,
  );
  await transaction.run(
    `INSERT INTO trash (id, organization, kind, subject, name, folder, points, bytes, actor, trashed_at_ms,
       purge_at_ms, is_purging)
     SELECT $1, $2, 'experiment', $3, $4, $5, head.points,
       coalesce((SELECT CAST(sum(bytes) AS BIGINT) FROM segment WHERE experiment = $3), 0)
         + head.told_bytes + ${logPointBytes} * (head.points - head.sealed_points), $6, $7, $8, 0
     FROM head WHERE head.experiment = $3`,
    newId(nowMs),
    organizationId,
    id,
    slug,
    names === null ? null : JSON.stringify(names),
    by.actor,
    nowMs,
    purgeAtMs,
  );
  ledger.note(organizationId, { experiments: -1 });
  await transaction.run(
    `INSERT INTO organization_trash (organization, days, deleted) VALUES ($1, NULL, 1)
     ON CONFLICT (organization) DO UPDATE SET deleted = organization_trash.deleted + 1`,
    organizationId,
  );
  const entry = { ...by, organizationId, action: "experiment.trashed", subject: id };
  const details = { slug, purgeAtMs, ...(rule !== undefined && { rule }) };
  await audit(transaction, { ...entry, details }, { nowMs });
}
