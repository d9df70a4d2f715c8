import type {
  AuditEvent,
  DeletedOrganization,
  Organization,
  OrganizationContents,
  Person,
  Role,
} from "@lossless/protocol";
import { type Actor, readAudit } from "../database/audit/audit.ts";
import { systemClock } from "../ground/clock.ts";
import type { Database, Reader } from "../database/database.ts";
import { checkFormat } from "../database/migrate.ts";
import { ServiceError } from "../ground/errors.ts";
import { ensureBuiltInLocation } from "../places/rows/locations/built-in.ts";
import {
  type ApiKey,
  type CreatedKey,
  issueKey,
  listKeys,
  revokeKey,
} from "../accounts/rows/organizations/keys.ts";
import {
  ensureOrganization,
  listOrganizations,
  requireOrganization,
} from "../accounts/rows/organizations/organization.ts";
import { setQuota } from "../accounts/rows/organizations/quota.ts";
import { erasePerson, pseudonymOf } from "../accounts/rows/people/erase.ts";
import { type IssuedInvitation, issueInvitation } from "../accounts/rows/people/invitations.ts";
import { assignRole, endMembership, listPeople } from "../accounts/rows/people/memberships.ts";
import {
  findForSignIn,
  findPeopleByEmail,
  normalEmail,
  type PersonForSignIn,
} from "../accounts/rows/people/person.ts";
import { Ledger } from "../database/quotas/ledger.ts";
import {
  bytesElsewhere,
  listQuotas,
  type OrganizationQuota,
  type QuotaChange,
} from "../database/quotas/quota.ts";
import { openDatabase } from "../storage/open-database.ts";
import { type DriverSettings, requireData } from "../storage/open-drivers.ts";
import { lockOrganization } from "../database/access/organization-lock.ts";
import {
  listDeletedOrganizations,
  moveOrganization,
  purgeOrganizationNow,
  readContents,
  restoreOrganization,
} from "../trash/trash-organization.ts";

/**
 * The operator as an actor: access to the data directory, or the database's password, is the only
 * credential.
 */
const operator: Actor = { actor: "operator", address: null };

/**
 * Opens keys, people and the audit log for the operator, beside a stopped or a running service: a
 * service reads the credential with every request, so rows made here are valid at once, and rows
 * ended here end at once.
 */
export async function administer(settings: DriverSettings): Promise<Administration> {
  requireData(settings);
  const database = await openDatabase(settings, "write");
  try {
    await database.read(checkFormat);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  return new Administration(database);
}

/** A quota, with the bytes in buckets of the organization's own, which no quota counts. */
export type ShownQuota = OrganizationQuota & { bytesElsewhere: number };
export type Member = Person & { organization: Organization };

/** Organizations are named by name or id; an unknown one is ServiceError `not_found`. */
export class Administration implements AsyncDisposable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Lists keys, oldest first, revoked ones too. */
  listKeys(organization?: string): Promise<ApiKey[]> {
    const input = organization === undefined ? {} : { organization };
    return this.#database.read((reader) => listKeys(reader, input));
  }

  /**
   * Makes a key; only the result contains the secret. With `newOrganization` a missing organization
   * is made.
   */
  createKey(organization: string, name: string, newOrganization: boolean): Promise<CreatedKey> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      if (newOrganization) {
        const wanted = { name: organization, ...operator };
        const made = await ensureOrganization(transaction, wanted, { nowMs });
        if (made.isNew) await ensureBuiltInLocation(transaction, made.id, { nowMs });
      }
      const found = await requireOrganization(transaction, organization);
      const { actor: createdBy, address } = operator;
      return issueKey(transaction, { organization: found, name, createdBy, address }, { nowMs });
    });
  }

  revokeKey(keyId: string): Promise<{ keyId: string }> {
    const nowMs = systemClock();
    return this.#database.write((transaction) =>
      revokeKey(transaction, { keyId, ...operator }, { nowMs }),
    );
  }

  /** Members of one organization, or of all of them. */
  listPeople(organization?: string): Promise<Member[]> {
    return this.#database.read((reader) => membersOf(reader, organization));
  }

  /** The person is named by e-mail address or id. The last owner stays one. */
  changeRole(who: string, organization: string | undefined, role: Role): Promise<Member> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      const { id: personId, ...member } = await requireMember(transaction, who, organization);
      const { id: organizationId } = member.organization;
      await lockOrganization(transaction, organizationId);
      const input = { organizationId, personId, role, ...operator };
      return { ...member, ...(await assignRole(transaction, input, { nowMs })) };
    });
  }

  /** Ends the membership at once and returns it. The last owner stays. */
  removePerson(who: string, organization: string | undefined): Promise<Member> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      const member = await requireMember(transaction, who, organization);
      const { id: organizationId } = member.organization;
      await lockOrganization(transaction, organizationId);
      await endMembership(
        transaction,
        { organizationId, personId: member.id, ...operator },
        { nowMs },
      );
      return member;
    });
  }

  /**
   * Erases a person for ever, by e-mail address or id; returns the id, which stays. Last owners are
   * refused.
   */
  erasePerson(who: string): Promise<{ id: string; pseudonym: string }> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      const id = await onePerson(transaction, who);
      const ledger = new Ledger(transaction);
      await erasePerson(transaction, id, operator, { nowMs, ledger });
      await ledger.finish(nowMs);
      return { id, pseudonym: pseudonymOf(id) };
    });
  }

  /** A one-time link for a new member: the way back in if the first start's link has expired. */
  invite(organization: string, role: Role, email: string | undefined): Promise<IssuedInvitation> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      const { id: organizationId } = await requireOrganization(transaction, organization);
      const input = { organizationId, role, email: email ?? null, ...operator };
      return issueInvitation(transaction, input, { nowMs });
    });
  }

  /**
   * Makes a one-time link that sets a person's password anew. Until it is used the present password
   * is valid.
   */
  resetPassword(email: string): Promise<IssuedInvitation> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      const found = await findForSignIn(transaction, { email });
      const [person, another] = found.filter(({ organizations }) => organizations.length > 0);
      if (person === undefined) throw cannotEnter(email, found);
      if (another !== undefined) throw severalPeople(email, found);
      const organization = person.organizations[0];
      const { id: organizationId, role } = organization;
      const { id: personId } = person.person;
      const input = { organizationId, role, email, personId, ...operator };
      return issueInvitation(transaction, input, { nowMs });
    });
  }

  /** Lists the stored amounts and quotas of organizations, the largest first. */
  listQuotas(organization?: string): Promise<ShownQuota[]> {
    return this.#database.read(async (reader) => {
      if (organization === undefined) return shownQuotas(reader);
      const { id } = await requireOrganization(reader, organization);
      return shownQuotas(reader, id);
    });
  }

  /** Changes a quota and returns it. A running service applies it from its next write on. */
  setQuota(organization: string, change: QuotaChange): Promise<ShownQuota[]> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      const { id } = await requireOrganization(transaction, organization);
      await setQuota(transaction, id, change, operator, { nowMs });
      return shownQuotas(transaction, id);
    });
  }

  /** Returns the contents that a deletion of the organization would take. */
  readContents(organization: string): Promise<OrganizationContents> {
    return this.#database.read(async (reader) => {
      const { id: organizationId } = await requireOrganization(reader, organization);
      return readContents(reader, { organizationId });
    });
  }

  /** Moves the organization to the trash, for its own number of days, or else this default. */
  deleteOrganization(organization: string, daysDefault: number): Promise<DeletedOrganization> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      const { id: organizationId, name } = await requireOrganization(transaction, organization);
      const input = { organizationId, name, daysDefault, by: operator };
      return moveOrganization(transaction, input, { nowMs });
    });
  }

  listDeletedOrganizations(): Promise<DeletedOrganization[]> {
    return this.#database.read((reader) => listDeletedOrganizations(reader, { personId: null }));
  }

  restoreOrganization(organization: string): Promise<DeletedOrganization> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      const { id: organizationId } = await requireOrganization(transaction, organization);
      const input = { organizationId, by: operator, isOperator: true };
      return restoreOrganization(transaction, input, { nowMs });
    });
  }

  /** A running service removes it, from an hour after it was deleted on. */
  purgeOrganization(organization: string, leavesObjects = false): Promise<DeletedOrganization> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      const { id: organizationId } = await requireOrganization(transaction, organization);
      const input = { organizationId, by: operator, leavesObjects };
      return purgeOrganizationNow(transaction, input, { nowMs });
    });
  }

  /** The newest events of one organization, or of the whole installation. */
  readAudit(organization: string | undefined, limit: number): Promise<AuditEvent[]> {
    return this.#database.read(async (reader) => {
      const organizationId =
        organization === undefined ? null : (await requireOrganization(reader, organization)).id;
      return readAudit(reader, { organizationId, before: null, limit });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}

/**
 * The error when no person has the address, or those who have it sign in by their identity provider
 * alone.
 */
function cannotEnter(email: string, found: readonly PersonForSignIn[]): ServiceError {
  const names = found.flatMap(({ closed }) => closed.map(({ name }) => name));
  const [name] = names;
  if (name === undefined) {
    return new ServiceError("not_found", `No organization has a person ${email}; invite them.`);
  }
  return new ServiceError(
    "conflict",
    `${names.join(" and ")} takes passwords of owners alone, and signs ${email} in by its identity provider. Where ` +
      `that is away, make them an owner first: lossless people role ${email} owner --organization ${JSON.stringify(name)}.`,
  );
}

async function shownQuotas(reader: Reader, organization?: string): Promise<ShownQuota[]> {
  const found = await listQuotas(reader, organization === undefined ? {} : { organization });
  const elsewhere = await bytesElsewhere(reader);
  return found.map((one) => ({ ...one, bytesElsewhere: elsewhere.get(one.id) ?? 0 }));
}

function severalPeople(
  email: string,
  found: readonly { organizations: readonly { name: string }[] }[],
): ServiceError {
  const names = found.flatMap(({ organizations }) => organizations.map(({ name }) => name));
  return new ServiceError(
    "conflict",
    `Several people have the address ${email}, in ${names.join(" and ")}: remove the one who needs a password from ` +
      "their organization (people remove --organization), and invite that address again.",
  );
}

async function membersOf(reader: Reader, organization: string | undefined): Promise<Member[]> {
  const organizations =
    organization === undefined
      ? await listOrganizations(reader)
      : [await requireOrganization(reader, organization)];
  const people: Member[] = [];
  for (const { id, name } of organizations) {
    const members = await listPeople(reader, { organizationId: id });
    people.push(...members.map((person) => ({ ...person, organization: { id, name } })));
  }
  return people;
}

/** Finds one person, also one who no longer belongs to an organization. */
async function onePerson(reader: Reader, who: string): Promise<string> {
  const known = await reader.get<{ id: string }>("SELECT id FROM person WHERE id = $1", who);
  if (known !== undefined) return known.id;
  const [person, another] = await findPeopleByEmail(reader, who);
  if (person === undefined) throw new ServiceError("not_found", `There is no person ${who}.`);
  if (another === undefined) return person.id;
  const sentence = `Several people have the address ${who}: name one by the id that people list shows.`;
  throw new ServiceError("conflict", sentence);
}

/** Finds a member; without an organization in the person's only one. */
async function requireMember(
  reader: Reader,
  who: string,
  organization: string | undefined,
): Promise<Member> {
  const people = await membersOf(reader, organization);
  const found = people.filter(({ id, email }) => id === who || email === normalEmail(who));
  const [member] = found;
  if (member === undefined) {
    const where = organization === undefined ? "any organization" : `organization ${organization}`;
    throw new ServiceError("not_found", `There is no person ${who} in ${where}.`);
  }
  if (found.length === 1) return member;
  const names = found.map((one) => one.organization.name).join(", ");
  throw new ServiceError(
    "conflict",
    `${member.email} belongs to ${names}: name one with --organization.`,
  );
}
