import type { Role, SignOnSettings } from "@lossless/protocol";
import { requireRole } from "../../../database/access/role.ts";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import type { Moment } from "../../../ground/clock.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { hasPassword } from "../people/no-password.ts";
import { forgetScim } from "./scim/forget.ts";

/** Settings of a provider without the secret, of which rows hold only the sealed form. */
export type ProviderSettings = Omit<SignOnSettings, "publicClient">;

/** An organization's identity provider. */
export interface StoredSignOn extends ProviderSettings {
  organizationId: string;
  organizationName: string;
  sealedSecret: Uint8Array;
  /** Revision, increased by every change. */
  revision: number;
}

interface SignOnRow {
  organization: string;
  organization_name: string;
  name: string;
  issuer: string;
  client_id: string;
  sealed_secret: Uint8Array;
  scopes: string;
  domains: string;
  groups_claim: string | null;
  roles: string;
  default_role: Role | null;
  is_forced: number;
  revision: number;
}

const select = `SELECT sign_on.organization, sign_on.name, issuer, client_id, sealed_secret,
    scopes, domains, groups_claim, roles, default_role, is_forced, revision, organization.name AS organization_name
  FROM sign_on JOIN organization ON organization.id = sign_on.organization
    AND organization.trashed_at_ms IS NULL`;

/** Context for which the secret is sealed: it does not open in another organization's row. */
export function signOnSecretContext(organizationId: string): string {
  return `${organizationId}/sign-on`;
}

/** `signOn.read` */
export async function readSignOn(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<StoredSignOn | null> {
  const row = await reader.get<SignOnRow>(
    `${select} WHERE sign_on.organization = $1`,
    organizationId,
  );
  return row === undefined ? null : stored(row);
}

export interface OfferedSignOn {
  organizationId: string;
  organizationName: string;
  /** Name of the provider. */
  name: string;
}

/**
 * `signOn.offered`: the sign-ons for an address, by its domain; with null, whether there is any.
 */
export async function offeredSignOns(
  reader: Reader,
  { email }: { email: string | null },
): Promise<OfferedSignOn[]> {
  if (email === null) {
    const any = await reader.get<SignOnRow>(`${select} LIMIT 1`);
    return any === undefined ? [] : [offered(stored(any))];
  }
  const domain = domainOf(email);
  // Narrowed by the text of the JSON array; a domain has no character special to LIKE or JSON.
  if (!/^[a-z0-9.-]+$/.test(domain)) return [];
  const rows = await reader.all<SignOnRow>(
    `${select} WHERE domains LIKE $1 ORDER BY organization.name`,
    `%"${domain}"%`,
  );
  return rows.map((row) => offered(stored(row)));
}

function offered({ organizationId, organizationName, name }: StoredSignOn): OfferedSignOn {
  return { organizationId, organizationName, name };
}

/** Returns the domain in lower case; "" for text that is no address. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1).toLowerCase();
}

/** An owner's change; the secret is sealed already, or null to keep the stored one. */
export interface SignOnChange {
  organizationId: string;
  settings: ProviderSettings;
  sealedSecret: Uint8Array | null;
  by: Actor;
}

/**
 * `signOn.set`, by an owner: a member who sets which provider vouches and which group has which
 * role can make themselves an owner. People signed in by another issuer are signed out.
 */
export async function setSignOn(
  transaction: Transaction,
  { organizationId, settings, sealedSecret, by }: SignOnChange,
  moment: Moment,
): Promise<void> {
  await requireRole(transaction, organizationId, by.actor, "owner");
  const before = await readSignOn(transaction, { organizationId });
  await replaceSignOn(transaction, before, { organizationId, settings, sealedSecret, by }, moment);
}

/** Replaces the settings under lockOrganization; `before` is the stored row. */
export async function replaceSignOn(
  transaction: Transaction,
  before: StoredSignOn | null,
  { organizationId, settings, sealedSecret, by }: SignOnChange,
  moment: Moment,
): Promise<void> {
  const secret = sealedSecret ?? before?.sealedSecret;
  const isSameClient = before?.issuer === settings.issuer && before.clientId === settings.clientId;
  // A secret goes only to the provider that gave it.
  if (secret === undefined || (sealedSecret === null && !isSameClient)) {
    throw new ServiceError(
      "bad_request",
      "clientSecret is missing: the stored one belongs to another client. Set it to null for a public client without a secret.",
    );
  }
  if (settings.forced) await requireWayIn(transaction, organizationId);
  await store(transaction, { organizationId, settings, secret }, moment);
  if (before !== null && !isSameClient) await endSessions(transaction, organizationId, moment);
  const { name, issuer, clientId, forced } = settings;
  const entry = { organizationId, ...by, action: "signOn.changed", subject: organizationId };
  await audit(transaction, { ...entry, details: { name, issuer, clientId, forced } }, moment);
}

async function store(
  transaction: Transaction,
  {
    organizationId,
    settings,
    secret,
  }: { organizationId: string; settings: ProviderSettings; secret: Uint8Array },
  { nowMs }: Moment,
): Promise<void> {
  const { name, issuer, clientId, scopes, domains, groupsClaim, roles, defaultRole, forced } =
    settings;
  await transaction.run(
    `INSERT INTO sign_on (organization, name, issuer, client_id, sealed_secret, scopes, domains, groups_claim,
       roles, default_role, is_forced, revision, changed_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12)
     ON CONFLICT (organization) DO UPDATE SET name = excluded.name, issuer = excluded.issuer,
       client_id = excluded.client_id, sealed_secret = excluded.sealed_secret, scopes = excluded.scopes,
       domains = excluded.domains, groups_claim = excluded.groups_claim, roles = excluded.roles,
       default_role = excluded.default_role, is_forced = excluded.is_forced,
       revision = sign_on.revision + 1, changed_at_ms = excluded.changed_at_ms`,
    organizationId,
    name,
    issuer,
    clientId,
    secret,
    scopes,
    JSON.stringify(domains),
    groupsClaim,
    JSON.stringify(roles),
    defaultRole,
    forced ? 1 : 0,
    nowMs,
  );
}

/**
 * Requires an owner with a password, who can correct the settings when the provider is away or
 * wrongly set.
 */
async function requireWayIn(transaction: Transaction, organizationId: string): Promise<void> {
  const owner = await transaction.get(
    `SELECT person.id FROM membership JOIN person ON person.id = membership.person
     WHERE membership.organization = $1 AND membership.role = 'owner' AND ${hasPassword} LIMIT 1`,
    organizationId,
  );
  if (owner !== undefined) return;
  throw new ServiceError(
    "conflict",
    "No owner of the organization has a password, so a failure of the provider would lock everyone out. Set a password for an owner first (lossless people reset-password).",
  );
}

/** `signOn.remove`, by an owner. People stay members, and need a password or an invitation. */
export async function removeSignOn(
  transaction: Transaction,
  { organizationId, by }: { organizationId: string; by: Actor },
  moment: Moment,
): Promise<void> {
  await requireRole(transaction, organizationId, by.actor, "owner");
  const ended = await transaction.run(
    "DELETE FROM sign_on WHERE organization = $1",
    organizationId,
  );
  if (ended === 0) throw new ServiceError("not_found", "The organization has no sign-on.");
  await endSessions(transaction, organizationId, moment);
  const entry = { organizationId, ...by, action: "signOn.removed", subject: organizationId };
  await audit(transaction, entry, moment);
}

/** Ends all sessions by the provider, and removes the rows that it sent by SCIM. */
async function endSessions(
  transaction: Transaction,
  organizationId: string,
  { nowMs }: Moment,
): Promise<void> {
  await forgetScim(transaction, organizationId);
  await transaction.run("DELETE FROM session WHERE only_organization = $1", organizationId);
  await transaction.run(
    "UPDATE oauth_grant SET ended_at_ms = $2 WHERE only_organization = $1 AND ended_at_ms IS NULL",
    organizationId,
    nowMs,
  );
}

/** Returns the settings as set, without the fields that the service adds. */
export function settingsOf(stored: StoredSignOn): ProviderSettings {
  const { name, issuer, clientId, scopes, domains, groupsClaim, roles, defaultRole, forced } =
    stored;
  return { name, issuer, clientId, scopes, domains, groupsClaim, roles, defaultRole, forced };
}

function stored(row: SignOnRow): StoredSignOn {
  return {
    organizationId: row.organization,
    organizationName: row.organization_name,
    name: row.name,
    issuer: row.issuer,
    clientId: row.client_id,
    sealedSecret: row.sealed_secret,
    scopes: row.scopes,
    domains: JSON.parse(row.domains) as string[],
    groupsClaim: row.groups_claim,
    roles: JSON.parse(row.roles) as SignOnSettings["roles"],
    defaultRole: row.default_role,
    forced: row.is_forced === 1,
    revision: row.revision,
  };
}
