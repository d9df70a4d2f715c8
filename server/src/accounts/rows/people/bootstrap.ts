import { limits } from "@lossless/protocol/limits";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { type CreatedKey, issueKey } from "../organizations/keys.ts";
import { ensureOrganization } from "../organizations/organization.ts";
import { issueInvitation } from "./invitations.ts";

export interface FirstStart {
  key: CreatedKey;
  /** Secret of the link by which the first owner joins. */
  setupSecret: string;
}

const bootstrapper = { actor: "bootstrap", address: null };

/**
 * Makes the first start without a provision file usable: the organization `default`, a key for it,
 * and a link by which a person becomes its owner. Null when there is an organization already, or
 * when another node was first.
 */
export async function bootstrap(
  transaction: Transaction,
  _input: Record<string, never>,
  moment: Moment,
): Promise<FirstStart | null> {
  const any = await transaction.get("SELECT id FROM organization LIMIT 1");
  if (any !== undefined) return null;
  const { isNew, ...organization } = await ensureOrganization(
    transaction,
    { name: "default", ...bootstrapper },
    moment,
  );
  if (!isNew) return null;
  const { actor: createdBy, address } = bootstrapper;
  const key = await issueKey(
    transaction,
    { organization, name: "first", createdBy, address },
    moment,
  );
  const { secret: setupSecret } = await issueInvitation(
    transaction,
    {
      organizationId: organization.id,
      email: null,
      role: "owner",
      lifetimeMs: limits.setupLinkLifetimeMs,
      ...bootstrapper,
    },
    moment,
  );
  return { key, setupSecret };
}
