import { isDeleted, lockOrganization } from "../../../database/access/organization-lock.ts";
import type { Transaction } from "../../../database/database.ts";
import type { Moment } from "../../../ground/clock.ts";
import { readSignOn, replaceSignOn, type SignOnChange } from "./setting.ts";

const by = { actor: "provision", address: null };

/**
 * `signOn.provision`: what the provision file says of an organization's identity provider, after it
 * was compared with what is stored. `seen` is the revision of that, null where nothing was; false
 * when somebody was faster, and it has to be compared again. What is in the trash stays as it was.
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
