import { isDeleted, lockOrganization } from "../../../database/access/organization-lock.ts";
import type { Transaction } from "../../../database/database.ts";
import type { Moment } from "../../../ground/clock.ts";
import { readSignOn, replaceSignOn, type SignOnChange } from "./setting.ts";

const by = { actor: "provision", address: null };

/**
 * `signOn.provision`: applies the identity provider of the provision file to an organization, after
 * a comparison with the stored one. `seen` is the revision of the latter, null where there was
 * none; returns false when another transaction was faster and the comparison has to be repeated. An
 * organization in the trash is left as it is.
 */
export async function provisionSignOn(
  transaction: Transaction,
  { seen, ...change }: Omit<SignOnChange, "by"> & { seen: number | null },
  moment: Moment,
): Promise<boolean> {
  const { organizationId } = change;
  await lockOrganization(transaction, organizationId);
  if (await isDeleted(transaction, organizationId)) return true;
  const before = await readSignOn(transaction, { organizationId });
  if ((before?.revision ?? null) !== seen) return false;
  await replaceSignOn(transaction, before, { ...change, by }, moment);
  return true;
}
