import type { ScimView } from "@lossless/protocol";
import { lockOrganization } from "../../../../database/access/organization-lock.ts";
import { requireRole } from "../../../../database/access/role.ts";
import { type Actor, audit } from "../../../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../../../database/database.ts";
import { isoTime, isoTimeOrNull, type Moment } from "../../../../ground/clock.ts";
import { ServiceError } from "../../../../ground/errors.ts";
import { hashSecret, newSecret } from "../../../../ground/secrets.ts";
import { readSignOn, type StoredSignOn } from "../setting.ts";
import { forgetScim } from "./forget.ts";

/** The token as shown on a page; its address is not known here. */
export type StoredScim = Omit<ScimView, "address">;

/** `scim.read` */
export async function readScim(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<StoredScim> {
  const row = await reader.get<{ created: number; by: string; used: number | null }>(
    `SELECT created_at_ms AS created, created_by AS by, used_at_ms AS used FROM scim_token
     WHERE organization = $1`,
    organizationId,
  );
  const counts = await reader.get<{ users: number; groups: number }>(
    `SELECT (SELECT count(*) FROM scim_user WHERE organization = $1) AS users,
       (SELECT count(*) FROM scim_group WHERE organization = $1) AS groups`,
    organizationId,
  );
  const token = row && {
    created: isoTime(row.created),
    createdBy: row.by,
    lastUsed: isoTimeOrNull(row.used),
  };
  return { token: token ?? null, users: counts?.users ?? 0, groups: counts?.groups ?? 0 };
}

/**
 * `scim.createToken`, by an owner: the holder of the token decides who belongs to the organization.
 */
export async function createScimToken(
  transaction: Transaction,
  { organizationId, by }: { organizationId: string; by: Actor },
  { nowMs }: Moment,
): Promise<{ secret: string; scim: StoredScim }> {
  await requireRole(transaction, organizationId, by.actor, "owner");
  if ((await readSignOn(transaction, { organizationId })) === null) {
    throw new ServiceError(
      "conflict",
      "Set the identity provider first: its domains and the roles of its groups apply to SCIM too.",
    );
  }
  const secret = newSecret("sc_");
  await transaction.run(
    `INSERT INTO scim_token (organization, hash, created_by, created_at_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (organization) DO UPDATE SET hash = excluded.hash, created_by = excluded.created_by,
       created_at_ms = excluded.created_at_ms, used_at_ms = NULL`,
    organizationId,
    hashSecret(secret),
    by.actor,
    nowMs,
  );
  const entry = { organizationId, ...by, subject: organizationId };
  await audit(transaction, { ...entry, action: "scim.tokenMade" }, { nowMs });
  return { secret, scim: await readScim(transaction, { organizationId }) };
}

/** `scim.end`, by an owner. */
export async function endScim(
  transaction: Transaction,
  { organizationId, by }: { organizationId: string; by: Actor },
  moment: Moment,
): Promise<void> {
  await requireRole(transaction, organizationId, by.actor, "owner");
  if (!(await forgetScim(transaction, organizationId))) {
    throw new ServiceError("not_found", "The provider has no SCIM token and has sent no users.");
  }
  const entry = { organizationId, ...by, subject: organizationId };
  await audit(transaction, { ...entry, action: "scim.ended" }, moment);
}

/** The organization and token of a SCIM request, and its network address. */
export interface ScimScope {
  organizationId: string;
  /** SHA-256 of the token. */
  tokenHash: Uint8Array;
  address: string;
}

/**
 * Returns the settings by which the token counts, under lockOrganization; requires a live token.
 */
export async function requireScim(
  transaction: Transaction,
  { organizationId, tokenHash }: ScimScope,
): Promise<StoredSignOn> {
  await lockOrganization(transaction, organizationId);
  const token = await transaction.get(
    "SELECT organization FROM scim_token WHERE organization = $1 AND hash = $2",
    organizationId,
    tokenHash,
  );
  const settings = await readSignOn(transaction, { organizationId });
  if (token !== undefined && settings !== null) return settings;
  throw new ServiceError("unauthorized", "The token has ended; an owner can create another one.");
}
