import { limits } from "@lossless/protocol/limits";
import { audit } from "../../../../database/audit/audit.ts";
import type { Transaction } from "../../../../database/database.ts";
import { requireFewer } from "../../../../database/row-limit.ts";
import type { Moment } from "../../../../ground/clock.ts";
import { scimActor } from "./settle.ts";
import type { ScimScope } from "./token.ts";

type Kind = "users" | "groups";

/** Throws where a provider has sent as many users or groups as it may. */
export function requireFewerSent(
  transaction: Transaction,
  organizationId: string,
  kind: Kind,
): Promise<void> {
  const [most, table] =
    kind === "users" ? [limits.scimUsersMax, "scim_user"] : [limits.scimGroupsMax, "scim_group"];
  const sentence = `A provider sends at most ${most} ${kind}.`;
  const rows = `${table} WHERE organization = $1`;
  return requireFewer(transaction, most, sentence, rows, organizationId);
}

/** Records what the provider has done with a user or a group, named by `subject`. */
export async function noteScim(
  transaction: Transaction,
  { organizationId, address }: ScimScope,
  { from, ...what }: { action: string; subject: string; from?: string },
  moment: Moment,
): Promise<void> {
  const entry = { organizationId, actor: scimActor, address, ...what };
  await audit(transaction, from === undefined ? entry : { ...entry, details: { from } }, moment);
}
