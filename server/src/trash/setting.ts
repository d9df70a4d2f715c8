import type { TrashSettings } from "@lossless/protocol";
import { isDeleted, lockOrganization } from "../database/access/organization-lock.ts";
import { requireRole } from "../database/access/role.ts";
import { type Actor, audit } from "../database/audit/audit.ts";
import type { Moment } from "../ground/clock.ts";
import type { Reader, Transaction } from "../database/database.ts";

export const dayMs = 24 * 60 * 60_000;

/** Returns for how many days an organization keeps deleted entries. */
export async function keptDays(
  reader: Reader,
  organizationId: string,
  daysDefault: number,
): Promise<number> {
  const row = await reader.get<{ days: number | null }>(
    "SELECT days FROM organization_trash WHERE organization = $1",
    organizationId,
  );
  return row?.days ?? daysDefault;
}

interface SettingsScope {
  organizationId: string;
  daysDefault: number;
}

/** `trash.settings`. */
export async function readTrashSettings(
  reader: Reader,
  { organizationId, daysDefault }: SettingsScope,
): Promise<TrashSettings> {
  return { days: await keptDays(reader, organizationId, daysDefault) };
}

/**
 * `trash.set`: sets the days for later deletions; entries in the trash keep their day. It needs the
 * role admin.
 */
export async function setTrashSettings(
  transaction: Transaction,
  { organizationId, days, by }: { organizationId: string; days: number; by: Actor },
  moment: Moment,
): Promise<TrashSettings> {
  await requireRole(transaction, organizationId, by.actor, "admin");
  await replaceDays(transaction, { organizationId, days, by }, moment);
  return { days };
}

/** `trash.provision`: as the provision file says at every start; the same again is nothing. */
export async function provisionTrashDays(
  transaction: Transaction,
  { organizationId, days }: { organizationId: string; days: number },
  moment: Moment,
): Promise<void> {
  await lockOrganization(transaction, organizationId);
  if (await isDeleted(transaction, organizationId)) return;
  if ((await keptDays(transaction, organizationId, 0)) === days) return;
  const by: Actor = { actor: "provision", address: null };
  await replaceDays(transaction, { organizationId, days, by }, moment);
}

async function replaceDays(
  transaction: Transaction,
  { organizationId, days, by }: { organizationId: string; days: number; by: Actor },
  moment: Moment,
): Promise<void> {
  await transaction.run(
    `INSERT INTO organization_trash (organization, days, deleted) VALUES ($1, $2, 0)
     ON CONFLICT (organization) DO UPDATE SET days = excluded.days`,
    organizationId,
    days,
  );
  const entry = { ...by, organizationId, action: "trash.set", details: { days } };
  await audit(transaction, entry, moment);
}
