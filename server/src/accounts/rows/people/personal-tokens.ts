import { requireFewer } from "../../../database/row-limit.ts";
import type { CreateTokenBody, PersonalToken } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { isAtLeast, requireRole, roleNeeded, roleOf } from "../../../database/access/role.ts";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import { isoTime, isoTimeOrNull, type Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import { hashSecret, newSecret } from "../../../ground/secrets.ts";
import { shownEmail } from "./person.ts";

interface TokenRow {
  id: string;
  name: string;
  scope: PersonalToken["scope"];
  person: string;
  email: string;
  created: number;
  createdBy: string;
  expires: number | null;
  used: number | null;
}

const select = `SELECT personal_token.id, personal_token.name, personal_token.scope, personal_token.person, person.email,
    personal_token.created_at_ms AS created, personal_token.created_by AS "createdBy",
    personal_token.expires_at_ms AS expires, personal_token.used_at_ms AS used
  FROM personal_token JOIN person ON person.id = personal_token.person
  WHERE personal_token.organization = $1 AND personal_token.ended_at_ms IS NULL
    AND (personal_token.expires_at_ms IS NULL OR personal_token.expires_at_ms > $2)`;

/** `personalToken.list`: live tokens of one person or, with null, of all; oldest first. */
export async function listTokens(
  reader: Reader,
  { organizationId, personId }: { organizationId: string; personId: string | null },
  { nowMs }: Moment,
): Promise<PersonalToken[]> {
  const rows = await reader.all<TokenRow>(
    `${select} AND (personal_token.person = $3 OR $3 IS NULL)
     ORDER BY personal_token.created_at_ms, personal_token.id`,
    organizationId,
    nowMs,
    personId,
  );
  return rows.map(tokenRecord);
}

/**
 * `personalToken.create`: for the person who asks, or by an admin for a service account. Its
 * permission is looked up at every request, so it never exceeds the present role.
 */
export async function createToken(
  transaction: Transaction,
  input: { organizationId: string } & CreateTokenBody & Actor,
  moment: Moment,
): Promise<{ token: PersonalToken; secret: string }> {
  const { organizationId, name, scope, days, account, actor, address } = input;
  const least = account === undefined ? "viewer" : "admin";
  await requireRole(transaction, organizationId, actor, least);
  if (account !== undefined) await requireServiceAccount(transaction, organizationId, account);
  const person = account ?? actor;
  if (scope !== "read") await requireWritingRole(transaction, organizationId, person);
  await requireFewerTokens(transaction, organizationId, person, moment);
  const secret = newSecret("pt_");
  const id = newId(moment.nowMs);
  await transaction.run(
    `INSERT INTO personal_token (id, hash, organization, person, name, scope, created_by, created_at_ms, expires_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    id,
    hashSecret(secret),
    organizationId,
    person,
    name,
    scope,
    actor,
    moment.nowMs,
    days === null ? null : moment.nowMs + days * dayMs,
  );
  const entry = { organizationId, actor, address, subject: person };
  const details = { token: id, name, scope, days };
  await audit(transaction, { ...entry, action: "token.created", details }, moment);
  const row = await find(transaction, organizationId, id, moment);
  if (row === undefined) throw new Error("BUG: a token was made and is not there");
  return { token: tokenRecord(row), secret };
}

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * `personalToken.revoke`: the caller's own, or as an admin that of any member; ends it for every
 * later request.
 */
export async function endToken(
  transaction: Transaction,
  { organizationId, id, actor, address }: { organizationId: string; id: string } & Actor,
  moment: Moment,
): Promise<void> {
  const role = await requireRole(transaction, organizationId, actor, "viewer");
  const row = await find(transaction, organizationId, id, moment);
  const isAdmin = isAtLeast(role, "admin");
  // A member must not find out which tokens others have.
  if (row === undefined || (row.person !== actor && !isAdmin)) {
    throw new ServiceError("not_found", "There is no such token.");
  }
  const owner = await roleOf(transaction, organizationId, row.person);
  if (row.person !== actor && owner === "owner" && role !== "owner")
    throw roleNeeded("owner", role);
  await transaction.run(
    "UPDATE personal_token SET ended_at_ms = $2 WHERE id = $1",
    id,
    moment.nowMs,
  );
  const entry = { organizationId, actor, address, subject: row.person };
  const details = { token: id, name: row.name };
  await audit(transaction, { ...entry, action: "token.revoked", details }, moment);
}

async function find(
  transaction: Transaction,
  organizationId: string,
  id: string,
  { nowMs }: Moment,
): Promise<TokenRow | undefined> {
  return transaction.get<TokenRow>(
    `${select} AND personal_token.id = $3`,
    organizationId,
    nowMs,
    id,
  );
}

async function requireServiceAccount(
  transaction: Transaction,
  organizationId: string,
  personId: string,
): Promise<void> {
  const account = await transaction.get(
    `SELECT person.id FROM person JOIN membership ON membership.person = person.id
     WHERE person.id = $1 AND person.is_service = 1 AND membership.organization = $2`,
    personId,
    organizationId,
  );
  if (account !== undefined) return;
  throw new ServiceError("not_found", "There is no such service account in the organization.");
}

/** Requires that the token's holder may write: a viewer's token says that it only reads. */
async function requireWritingRole(
  transaction: Transaction,
  organizationId: string,
  personId: string,
): Promise<void> {
  const role = await roleOf(transaction, organizationId, personId);
  if (role === undefined || isAtLeast(role, "member")) return;
  throw new ServiceError("bad_request", "A viewer's token only reads: give it the scope read.");
}

function requireFewerTokens(
  transaction: Transaction,
  organizationId: string,
  personId: string,
  { nowMs }: Moment,
): Promise<void> {
  const most = limits.tokensPerPersonMax;
  return requireFewer(
    transaction,
    most,
    `A member has at most ${most} tokens; revoke some first.`,
    `personal_token WHERE organization = $1 AND person = $2
       AND ended_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $3)`,
    organizationId,
    personId,
    nowMs,
  );
}

function tokenRecord({ email, created, expires, used, ...row }: TokenRow): PersonalToken {
  return {
    ...row,
    owner: shownEmail(email),
    created: isoTime(created),
    expires: isoTimeOrNull(expires),
    lastUsed: isoTimeOrNull(used),
  };
}
