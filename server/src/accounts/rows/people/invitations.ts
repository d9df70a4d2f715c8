import { requireFewer } from "../../../database/row-limit.ts";
import { limits } from "@lossless/protocol/limits";
import type { Invitation, Role } from "@lossless/protocol";
import { isAtLeast, requireRole } from "../../../database/access/role.ts";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import { hashSecret, newSecret } from "../../../ground/secrets.ts";
import { normalEmail } from "./person.ts";
import { lockOrganization } from "../../../database/access/organization-lock.ts";

export interface IssuedInvitation {
  invitation: Invitation;
  /** Secret of the link, shown once: only its hash is stored. */
  secret: string;
}

interface InvitationRow {
  id: string;
  email: string | null;
  role: Role;
  created: number;
  createdBy: string;
  expires: number;
}

const columns = `id, email, role, created_at_ms AS created, created_by AS "createdBy", expires_at_ms AS expires`;

/** Makes an invitation. Only owners invite owners. */
export async function createInvitation(
  transaction: Transaction,
  input: { organizationId: string; email: string | null; role: Role } & Actor,
  moment: Moment,
): Promise<IssuedInvitation> {
  await requireInviter(transaction, input.organizationId, input.actor, input.role);
  await requireFewerInvitations(transaction, input.organizationId, moment);
  return issueInvitation(transaction, input, moment);
}

/** Under lockOrganization. */
function requireFewerInvitations(
  transaction: Transaction,
  organizationId: string,
  { nowMs }: Moment,
): Promise<void> {
  const most = limits.openInvitationsPerOrganizationMax;
  const sentence = `An organization has at most ${most} open invitations; revoke some first.`;
  return requireFewer(
    transaction,
    most,
    sentence,
    `invitation WHERE organization = $1 AND person IS NULL
       AND ended_at_ms IS NULL AND expires_at_ms > $2`,
    organizationId,
    nowMs,
  );
}

/**
 * Makes a one-time link, for its holder or for one address only. With `personId` it sets that
 * person's password anew.
 */
export async function issueInvitation(
  transaction: Transaction,
  {
    organizationId,
    email,
    role,
    actor,
    address,
    personId,
    lifetimeMs = limits.invitationLifetimeMs,
  }: {
    organizationId: string;
    email: string | null;
    role: Role;
    personId?: string;
    lifetimeMs?: number;
  } & Actor,
  { nowMs }: Moment,
): Promise<IssuedInvitation> {
  const secret = newSecret("in_");
  const row: InvitationRow = {
    id: newId(nowMs),
    email: email === null ? null : normalEmail(email),
    role,
    created: nowMs,
    createdBy: actor,
    expires: nowMs + lifetimeMs,
  };
  await transaction.run(
    `INSERT INTO invitation (id, hash, organization, email, role, person, created_by, created_at_ms, expires_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    row.id,
    hashSecret(secret),
    organizationId,
    row.email,
    role,
    personId ?? null,
    actor,
    nowMs,
    row.expires,
  );
  const action = personId === undefined ? "invitation.created" : "passwordLink.created";
  const details = { email: row.email, role };
  const subject = personId ?? row.id;
  await audit(transaction, { organizationId, action, actor, address, subject, details }, { nowMs });
  return { invitation: invitationRecord(row), secret };
}

/**
 * Lists open invitations, oldest first. Links for a new password are the operator's and not
 * included.
 */
export async function listInvitations(
  reader: Reader,
  { organizationId }: { organizationId: string },
  { nowMs }: Moment,
): Promise<Invitation[]> {
  const rows = await reader.all<InvitationRow>(
    `SELECT ${columns} FROM invitation WHERE organization = $1 AND person IS NULL AND ended_at_ms IS NULL
       AND expires_at_ms > $2 ORDER BY created_at_ms, id`,
    organizationId,
    nowMs,
  );
  return rows.map(invitationRecord);
}

export async function revokeInvitation(
  transaction: Transaction,
  { organizationId, id, actor, address }: { organizationId: string; id: string } & Actor,
  { nowMs }: Moment,
): Promise<void> {
  // Locked first, in the order of a transaction that ends a membership and then its links.
  await lockOrganization(transaction, organizationId);
  const row = await transaction.get<InvitationRow>(
    `SELECT ${columns} FROM invitation WHERE id = $1 AND organization = $2 AND person IS NULL
       AND ended_at_ms IS NULL AND expires_at_ms > $3${transaction.forUpdate}`,
    id,
    organizationId,
    nowMs,
  );
  await requireInviter(transaction, organizationId, actor, row?.role ?? "member");
  if (row === undefined) throw new ServiceError("not_found", "There is no such open invitation.");
  await transaction.run("UPDATE invitation SET ended_at_ms = $2 WHERE id = $1", id, nowMs);
  await audit(
    transaction,
    {
      organizationId,
      action: "invitation.revoked",
      actor,
      address,
      subject: id,
      details: { email: row.email },
    },
    { nowMs },
  );
}

/**
 * Ends links that their maker could no longer make: with the role `now` a person makes no other
 * links than those that stay open. Called under lockOrganization, as a role changes or ends.
 */
export async function endLinksBeyond(
  transaction: Transaction,
  {
    organizationId,
    personId,
    now,
  }: { organizationId: string; personId: string; now: Role | undefined },
  by: Actor,
  { nowMs }: Moment,
): Promise<void> {
  if (now === "owner") return;
  const mayInvite = now !== undefined && isAtLeast(now, "admin");
  const ended = await transaction.all<{ id: string; email: string | null }>(
    `UPDATE invitation SET ended_at_ms = $3 WHERE organization = $1 AND created_by = $2
       AND ended_at_ms IS NULL AND expires_at_ms > $3 ${mayInvite ? "AND role = 'owner'" : ""} RETURNING id, email`,
    organizationId,
    personId,
    nowMs,
  );
  for (const { id, email } of ended) {
    const details = { createdBy: personId, email };
    await audit(
      transaction,
      { organizationId, action: "invitation.revoked", ...by, subject: id, details },
      { nowMs },
    );
  }
}

async function requireInviter(
  transaction: Transaction,
  organizationId: string,
  personId: string,
  role: Role,
): Promise<void> {
  const own = await requireRole(transaction, organizationId, personId, "admin");
  if (role === "owner" && own !== "owner") {
    throw new ServiceError("forbidden", "Only an owner can invite an owner.");
  }
}

function invitationRecord({ created, expires, ...row }: InvitationRow): Invitation {
  return {
    ...row,
    created: new Date(created).toISOString(),
    expires: new Date(expires).toISOString(),
  };
}
