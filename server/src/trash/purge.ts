import type { TrashEntry } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { requireRole } from "../database/access/role.ts";
import { type Actor, audit } from "../database/audit/audit.ts";
import type { Moment } from "../ground/clock.ts";
import type { Transaction } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { entriesOf, requireEntries, subjectOf, type TrashRow } from "./entry.ts";
import type { TrashIds } from "./restore.ts";

/**
 * `trash.purge`: from now on nothing brings them back; the background thread removes them. It needs
 * the role admin.
 */
export async function purgeTrash(
  transaction: Transaction,
  { organizationId, ids, by }: TrashIds,
  moment: Moment,
): Promise<{ entries: TrashEntry[] }> {
  await requireRole(transaction, organizationId, by.actor, "admin");
  const rows = await requireEntries(transaction, organizationId, ids);
  for (const row of rows) {
    if (row.is_purging === 1) continue;
    await transaction.run(
      "UPDATE trash SET is_purging = 1, purge_at_ms = $2 WHERE id = $1",
      row.id,
      Math.min(row.purge_at_ms, purgeAtMs(row, moment)),
    );
    const { kind, name, version, series } = row;
    const subject = subjectOf(row);
    const details = {
      name,
      ...(version !== null && { version }),
      ...(series !== null && { series }),
    };
    const entry = { ...by, organizationId, action: `${kind}.purged`, subject, details };
    await audit(transaction, entry, moment);
  }
  const purging = await requireEntries(transaction, organizationId, ids);
  return { entries: await entriesOf(transaction, organizationId, purging) };
}

/**
 * Returns the time of the purge. Addresses of a version's files are valid for an hour: none is cut
 * off before.
 */
function purgeAtMs({ kind, trashed_at_ms: trashedAtMs }: TrashRow, { nowMs }: Moment): number {
  return kind === "version" ? Math.max(nowMs, trashedAtMs + limits.signedUrlLifetimeMs) : nowMs;
}

export interface FreeSlug {
  organizationId: string;
  slug: string;
  by: Actor;
}

/**
 * `trash.freeSlug`: removes the last row of a purged experiment, so that another one may be
 * recorded under its slug. It needs the role admin. Throws `not_found` where no experiment was
 * purged under this slug, `conflict` while it is still in the trash.
 */
export async function freeSlug(
  transaction: Transaction,
  { organizationId, slug, by }: FreeSlug,
  { nowMs, ledger }: Counting,
): Promise<void> {
  await requireRole(transaction, organizationId, by.actor, "admin");
  const row = await transaction.get<{ id: string; purged_at_ms: number | null }>(
    `SELECT id, purged_at_ms FROM experiment
     WHERE organization = $1 AND slug = $2 AND trashed_at_ms IS NOT NULL${transaction.forUpdate}`,
    organizationId,
    slug,
  );
  if (row === undefined) {
    throw new ServiceError("not_found", "No experiment was purged under this slug.");
  }
  if (row.purged_at_ms === null) {
    throw new ServiceError("conflict", "The experiment is still in the trash; purge it first.");
  }
  await transaction.run("DELETE FROM experiment WHERE id = $1", row.id);
  ledger.note(organizationId, { bytes: -rowBytes - textBytes(slug) });
  const entry = { ...by, organizationId, action: "slug.freed", subject: row.id, details: { slug } };
  await audit(transaction, entry, { nowMs });
}
