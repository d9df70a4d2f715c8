import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import type { Maxima } from "../../../database/quotas/amounts.ts";
import { changeQuota, type QuotaChange } from "../../../database/quotas/quota.ts";

/** Sets maxima that hold from the next write on; new values are recorded in the audit log. */
export async function setQuota(
  transaction: Transaction,
  organizationId: string,
  change: QuotaChange,
  by: Actor,
  moment: Moment,
): Promise<Maxima> {
  const { maxima, isChanged } = await changeQuota(transaction, organizationId, change);
  if (!isChanged) return maxima;
  const { uploads: pendingUploads, ...details } = maxima;
  const entry = { organizationId, action: "quota.changed", subject: organizationId, ...by };
  await audit(transaction, { ...entry, details: { ...details, pendingUploads } }, moment);
  return maxima;
}
