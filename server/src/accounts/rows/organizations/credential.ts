import type { Organization, Role } from "@lossless/protocol";
import type { Moment } from "../../../ground/clock.ts";
import { findGuest, type Guest } from "../guests/visit.ts";
import { countsFor } from "../../../database/access/sign-on-rule.ts";
import type { Reader } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";

export type Credential =
  | { kind: "api_key"; keyId: string; organization: Organization; lastUsedAtMs: number | null }
  | { kind: "experiment_token"; experimentId: string; organizationId: string; expiresAtMs: number }
  | { kind: "scim"; organization: Organization; lastUsedAtMs: number | null }
  | ({ kind: "guest" } & Guest)
  | PersonCredential;

/** Kind of a secret by its form. A personal token is looked up as a sign-in of its person. */
export type SecretKind = Credential["kind"] | "personal_token";

/** Maximal permission of a personal token; `role`, which sign-ins have, is that of the role. */
export type Scope = "read" | "write" | "role";

export interface PersonCredential {
  kind: "session" | "oauth";
  personId: string;
  email: string;
  expiresAtMs: number;
  /** Set where an organization's provider vouched for the person: it acts there alone. */
  onlyOrganization: string | null;
  /** The sign-in of the command line; null: it is a session, or a personal token. */
  grantId: string | null;
  /** Id of the personal token; null for other credentials. */
  tokenId: string | null;
  scope: Scope;
  lastUsedAtMs: number | null;
  /**
   * The chosen organization with the person's present role; null: none is chosen, or the person is
   * no member.
   */
  organization: { id: string; name: string; role: Role } | null;
}

export interface CredentialQuestion {
  kind: SecretKind;
  hash: Uint8Array;
  /** The organization the request names (name or id), or null. Only command-line tokens need it. */
  organization: string | null;
}

/**
 * Null: unknown, expired and revoked ones are the same to the caller. `refused`: it is valid, and
 * its organization is deleted.
 */
export type Found = Credential | null | { kind: "refused"; message: string };

/**
 * Returns the valid credentials with these SHA-256, each in its place. The look-up by hash takes no
 * longer for a near miss, so it reveals nothing of secrets. Experiment tokens, which every process
 * of a training presents with each of its requests, are found by one statement.
 */
export async function findCredentials(
  reader: Reader,
  { questions }: { questions: readonly CredentialQuestion[] },
  moment: Moment,
): Promise<Found[]> {
  const tokens = questions.filter(({ kind }) => kind === "experiment_token");
  const rows = await findTokens(reader, tokens, moment);
  const answers: Found[] = [];
  for (const question of questions) {
    answers.push(
      await orRefused(async () =>
        question.kind === "experiment_token"
          ? tokenIn(rows, question.hash)
          : findCredential(reader, question, moment),
      ),
    );
  }
  return answers;
}

async function orRefused(find: () => Promise<Credential | null>): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { kind: "refused", message: error.message };
  }
}

/** The same for one, which throws a refusal. */
export async function findCredential(
  reader: Reader,
  question: CredentialQuestion,
  moment: Moment,
): Promise<Credential | null> {
  const { kind, hash, organization } = question;
  const { nowMs } = moment;
  switch (kind) {
    case "api_key":
      return findKey(reader, hash);
    case "experiment_token":
      return tokenIn(await findTokens(reader, [question], moment), hash);
    case "session":
      return findSession(reader, hash, nowMs);
    case "oauth":
      return findAccessToken(reader, hash, organization, nowMs);
    case "personal_token":
      return findPersonalToken(reader, hash, nowMs);
    case "scim":
      return findScimToken(reader, hash);
    case "guest": {
      const guest = await findGuest(reader, hash, nowMs);
      return guest === undefined ? null : { kind: "guest", ...guest };
    }
  }
}

async function findKey(reader: Reader, hash: Uint8Array): Promise<Credential | null> {
  const row = await reader.get<{
    id: string;
    organization: string;
    organization_name: string;
    last_used_at_ms: number | null;
    trashed: number | null;
  }>(
    `SELECT api_key.id, api_key.organization, organization.name AS organization_name, api_key.last_used_at_ms,
       organization.trashed_at_ms AS trashed
     FROM api_key JOIN organization ON organization.id = api_key.organization
     WHERE api_key.hash = $1 AND api_key.revoked_at_ms IS NULL`,
    hash,
  );
  if (row === undefined) return null;
  requireLiving(row.organization_name, row.trashed);
  return {
    kind: "api_key",
    keyId: row.id,
    organization: { id: row.organization, name: row.organization_name },
    lastUsedAtMs: row.last_used_at_ms,
  };
}

/** Finds the token of SCIM, which is valid while the organization's sign-on is set. */
async function findScimToken(reader: Reader, hash: Uint8Array): Promise<Credential | null> {
  const row = await reader.get<{
    id: string;
    name: string;
    used: number | null;
    trashed: number | null;
  }>(
    `SELECT organization.id, organization.name, scim_token.used_at_ms AS used,
       organization.trashed_at_ms AS trashed FROM scim_token
     JOIN organization ON organization.id = scim_token.organization WHERE scim_token.hash = $1`,
    hash,
  );
  if (row === undefined) return null;
  const { id, name, used, trashed } = row;
  requireLiving(name, trashed);
  return { kind: "scim", organization: { id, name }, lastUsedAtMs: used };
}

interface TokenRow {
  hash: Uint8Array;
  experiment: string;
  organization: string;
  expires_at_ms: number;
  name: string;
  trashed: number | null;
}

/** Rows of the valid tokens among these, by their hashes. */
async function findTokens(
  reader: Reader,
  questions: readonly CredentialQuestion[],
  { nowMs }: Moment,
): Promise<Map<string, TokenRow>> {
  if (questions.length === 0) return new Map();
  const rows = await reader.all<TokenRow>(
    `SELECT hash, experiment, organization, expires_at_ms, organization.name,
       organization.trashed_at_ms AS trashed
     FROM token JOIN organization ON organization.id = token.organization
     WHERE ${reader.isOneOfBytes("hash", "$1")} AND revoked_at_ms IS NULL AND expires_at_ms > $2`,
    JSON.stringify(questions.map(({ hash }) => hash.toHex())),
    nowMs,
  );
  return new Map(rows.map((row) => [row.hash.toHex(), row]));
}

function tokenIn(rows: Map<string, TokenRow>, hash: Uint8Array): Credential | null {
  const row = rows.get(hash.toHex());
  if (row === undefined) return null;
  requireLiving(row.name, row.trashed);
  return {
    kind: "experiment_token",
    experimentId: row.experiment,
    organizationId: row.organization,
    expiresAtMs: row.expires_at_ms,
  };
}

interface PersonRow {
  person: string;
  email: string;
  expires: number;
  grant_id: string | null;
  only_organization: string | null;
  used_at_ms: number | null;
  organization: string | null;
  name: string | null;
  role: Role | null;
  trashed: number | null;
}

const personColumns = `person.id AS person, person.email, organization.id AS organization, organization.name,
  membership.role, organization.trashed_at_ms AS trashed`;

async function findSession(
  reader: Reader,
  hash: Uint8Array,
  nowMs: number,
): Promise<Credential | null> {
  const row = await reader.get<PersonRow>(
    `SELECT ${personColumns}, session.expires_at_ms AS expires, session.used_at_ms, NULL AS grant_id,
       session.only_organization
     FROM session JOIN person ON person.id = session.person
     LEFT JOIN membership ON membership.person = person.id AND membership.organization = session.organization
       AND ${countsFor("session.only_organization")}
     LEFT JOIN organization ON organization.id = membership.organization
     WHERE session.hash = $1 AND session.expires_at_ms > $2`,
    hash,
    nowMs,
  );
  if (row === undefined) return null;
  // The session itself goes on: it leads to other organizations, and an owner can restore this one.
  const isDeleted = row.trashed !== null;
  return personCredential("session", isDeleted ? { ...row, organization: null } : row);
}

async function findAccessToken(
  reader: Reader,
  hash: Uint8Array,
  organization: string | null,
  nowMs: number,
): Promise<Credential | null> {
  const row = await reader.get<PersonRow>(
    `SELECT ${personColumns}, oauth_token.expires_at_ms AS expires, oauth_grant.used_at_ms, oauth_grant.id AS grant_id,
       oauth_grant.only_organization
     FROM oauth_token JOIN oauth_grant ON oauth_grant.id = oauth_token.oauth_grant
     JOIN person ON person.id = oauth_grant.person
     LEFT JOIN membership ON membership.person = person.id AND membership.organization = (
       SELECT id FROM organization WHERE name = $3 OR id = $3
       ORDER BY CASE WHEN name = $3 THEN 0 ELSE 1 END LIMIT 1)
       AND ${countsFor("oauth_grant.only_organization")}
     LEFT JOIN organization ON organization.id = membership.organization
     WHERE oauth_token.hash = $1 AND oauth_token.kind = 'access' AND oauth_token.expires_at_ms > $2
       AND oauth_grant.ended_at_ms IS NULL`,
    hash,
    nowMs,
    organization,
  );
  if (row === undefined) return null;
  requireLiving(row.name, row.trashed);
  return personCredential("oauth", row);
}

/**
 * Finds a personal token, which acts in its organization alone, with its person's present role
 * there.
 */
async function findPersonalToken(
  reader: Reader,
  hash: Uint8Array,
  nowMs: number,
): Promise<Credential | null> {
  const row = await reader.get<PersonRow & { token_id: string; scope: Scope }>(
    `SELECT ${personColumns}, coalesce(personal_token.expires_at_ms, $3) AS expires, personal_token.used_at_ms,
       NULL AS grant_id, personal_token.organization AS only_organization, personal_token.id AS token_id,
       personal_token.scope
     FROM personal_token JOIN person ON person.id = personal_token.person
     JOIN membership ON membership.person = person.id AND membership.organization = personal_token.organization
     JOIN organization ON organization.id = membership.organization
     WHERE personal_token.hash = $1 AND personal_token.ended_at_ms IS NULL
       AND (personal_token.expires_at_ms IS NULL OR personal_token.expires_at_ms > $2)`,
    hash,
    nowMs,
    Number.MAX_SAFE_INTEGER,
  );
  if (row === undefined) return null;
  requireLiving(row.name, row.trashed);
  return { ...personCredential("oauth", row), tokenId: row.token_id, scope: row.scope };
}

/** Throws the reason when a valid credential belongs to a deleted organization. */
function requireLiving(name: string | null, trashedAtMs: number | null): void {
  if (trashedAtMs === null) return;
  throw new ServiceError(
    "unauthorized",
    `The organization ${name} is deleted: nothing is read or stored in it. An owner or the operator can restore it.`,
  );
}

function personCredential(kind: "session" | "oauth", row: PersonRow): PersonCredential {
  // Where several people have one address, all but the first have an organization's id behind it.
  const email = row.email.split(" ", 1)[0];
  const { person: personId, expires: expiresAtMs, organization: id, name, role } = row;
  const organization = id === null || name === null || role === null ? null : { id, name, role };
  const { grant_id: grantId, used_at_ms: lastUsedAtMs } = row;
  const { only_organization: onlyOrganization } = row;
  const person = { kind, personId, email, expiresAtMs, onlyOrganization };
  return { ...person, grantId, tokenId: null, scope: "role", lastUsedAtMs, organization };
}
