import type { SetSignOnBody } from "@lossless/protocol";
import { isDeepStrictEqual } from "node:util";
import { ServiceError } from "../ground/errors.ts";
import type { Log } from "../ground/log.ts";
import { ConfigError } from "../settings/options.ts";
import type { Passwords } from "../ground/passwords.ts";
import { SealBroken } from "../ground/sealing.ts";
import type { IdentityProviders } from "../accounts/openid/identity-providers.ts";
import type { FirstStart } from "../accounts/rows/people/bootstrap.ts";
import type { ProvisionedPerson } from "../accounts/rows/people/provision.ts";
import {
  type ProvisionedOrganization,
  type ProvisionFile,
  readableSecrets,
  readProvisionFile,
} from "../settings/provision-file.ts";
import type { QuotaChange } from "../database/quotas/quota.ts";
import { hashSecret } from "../ground/secrets.ts";
import { completeSettings } from "../accounts/rows/sign-on/complete-settings.ts";
import {
  type ProviderSettings,
  settingsOf,
  type StoredSignOn,
} from "../accounts/rows/sign-on/setting.ts";
import { type Storage, writeOne } from "../storage/storage.ts";
import type { OpenArtifactServices } from "../artifacts/versions/artifact-services.ts";

/** The file, checked, with a warning in the log where others can read its secrets. */
export function readProvision(path: string | undefined, log: Log): ProvisionFile | undefined {
  if (path === undefined) return undefined;
  const file = readProvisionFile(path);
  checkSignOns(file);
  const warning = readableSecrets(path, file);
  if (warning !== undefined) log.warn(warning);
  return file;
}

/** Applies the parts of the file that can be applied while the service runs. */
export async function provisionAgain(
  path: string | undefined,
  passwords: Passwords,
  parts: ProvisionedParts,
): Promise<void> {
  const file = readProvision(path, parts.log);
  if (file === undefined) return;
  await checkStored(parts, file);
  await provisionOrganizations(parts.storage, file, passwords, parts.log);
  await provisionSettings(parts, file);
}

/**
 * Throws ConfigError where the file contradicts what is stored, so that nothing of it is applied.
 * Contradictions of its API keys are found by the first write, which is one transaction.
 */
export async function checkStored(
  { services }: Pick<ProvisionedParts, "services">,
  file: ProvisionFile | undefined,
): Promise<void> {
  await services.checkProvision(locationsOf(file));
}

/**
 * Prepares every start before it serves: applies the provision file's organizations, keys and
 * people, or, on an empty installation without a file, makes the first organization, and returns
 * its key and set-up link, once.
 */
export async function provisionOrganizations(
  storage: Storage,
  file: ProvisionFile | undefined,
  passwords: Passwords,
  log: Log,
): Promise<FirstStart | null> {
  const hasOrganizations = (await storage.read("organization.list", undefined)).length > 0;
  try {
    if (file === undefined) return await writeOne(storage, "organization.bootstrap", {});
    const organizations = (file.organizations ?? []).map(({ name, quotas, apiKeys }) => ({
      name,
      quota: quotaOf(quotas ?? {}),
      apiKeys: (apiKeys ?? []).map((key) => ({ name: key.name, hash: hashSecret(key.secret) })),
    }));
    const { purged } = await writeOne(storage, "organization.provision", { organizations });
    for (const name of purged) {
      const sentence =
        "The provision file names an organization that was deleted for good: remove it from the file.";
      log.warn({ organization: name }, sentence);
    }
    await provisionPeople(storage, file, passwords);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "storage_full") throw error;
    if (!hasOrganizations) {
      throw new ConfigError(
        "There is too little free space on the disk of the data directory to begin: no organization and no " +
          "API key could be made. Free some space, or lower --disk-reserve-bytes.",
      );
    }
    // A full disk must not prevent reads of stored data.
    log.error(
      file === undefined
        ? "The disk is nearly full: nothing is written."
        : "The disk is nearly full: nothing is written, and the provision file was not applied.",
    );
  }
  return null;
}

function quotaOf({
  pendingUploads,
  ...maxima
}: NonNullable<ProvisionedOrganization["quotas"]>): QuotaChange {
  return pendingUploads === undefined ? maxima : { ...maxima, uploads: pendingUploads };
}

/**
 * Applies the people of the file. Slow hashes are made here, before the transaction; none when the
 * file is unchanged.
 */
async function provisionPeople(
  storage: Storage,
  file: ProvisionFile,
  passwords: Passwords,
): Promise<void> {
  const asked = peopleOf(file);
  if (asked.length === 0) return;
  const emails = asked.map(({ email }) => email);
  const seen = await storage.read("person.provisioned", { emails });
  const people: ProvisionedPerson[] = [];
  for (const [index, { email, password, memberships }] of asked.entries()) {
    const last = seen[index];
    const isOld = last !== null && (await passwords.matches(password, last));
    const news = isOld ? undefined : { seen: last, hash: await passwords.hash(password) };
    people.push({ email, password: news, memberships });
  }
  await writeOne(storage, "person.provision", { people });
}

/** Lists each person of the file once; the file's check ensures that each has one password. */
function peopleOf({ organizations = [] }: ProvisionFile) {
  const people = new Map<string, Omit<ProvisionedPerson, "password"> & { password: string }>();
  for (const { name: organization, people: members = [] } of organizations) {
    for (const { email, password, role } of members) {
      const known = people.get(email.toLowerCase());
      if (known === undefined) {
        const memberships = [{ organization, role }];
        people.set(email.toLowerCase(), { email, password, memberships });
      } else {
        known.memberships.push({ organization, role });
      }
    }
  }
  return [...people.values()];
}

export interface ProvisionedParts {
  storage: Storage;
  services: OpenArtifactServices;
  identityProviders: IdentityProviders;
  log: Log;
}

/** Applies the settings of organizations that exist by now. */
export async function provisionSettings(
  parts: ProvisionedParts,
  file: ProvisionFile | undefined,
): Promise<void> {
  await provisionLocations(parts, file);
  const stored = await parts.storage.read("organization.list", undefined);
  for (const { name, trashDays, mlflowLocations, signOn } of file?.organizations ?? []) {
    const { id, isDeleted = true } = stored.find((one) => one.name === name) ?? {};
    // One in the trash stays as it was set, and one that was deleted for good is not there.
    if (id === undefined || isDeleted) continue;
    await provisionTrash(parts, id, trashDays);
    await provisionMlflowLocations(parts, id, mlflowLocations);
    if (signOn !== undefined) await provisionSignOn(parts, { id, name }, signOn);
  }
}

async function provisionLocations(
  { services, log }: ProvisionedParts,
  file: ProvisionFile | undefined,
): Promise<void> {
  await unlessFull(log, "the locations", () => services.provision(locationsOf(file)));
}

function locationsOf(file: ProvisionFile | undefined) {
  const organizations = file?.organizations ?? [];
  return organizations.map(({ name, locations = [] }) => ({ name, locations }));
}

/** Sets the days of keeping for later deletions. */
async function provisionTrash(
  { storage, log }: ProvisionedParts,
  organizationId: string,
  days: number | undefined,
): Promise<void> {
  if (days === undefined) return;
  await unlessFull(log, "the days of the trash", () =>
    writeOne(storage, "trash.provision", { organizationId, days }),
  );
}

/** Sets locations for later experiments of MLflow's clients. */
async function provisionMlflowLocations(
  { storage, log }: ProvisionedParts,
  organizationId: string,
  allowed: readonly string[] | undefined,
): Promise<void> {
  if (allowed === undefined) return;
  await unlessFull(log, "the artifact locations of MLflow", () =>
    writeOne(storage, "run.provisionLocations", { organizationId, allowed }),
  );
}

/** Throws ConfigError where nobody could sign in by a provider of the file. */
function checkSignOns({ organizations = [] }: ProvisionFile): void {
  for (const { name, signOn } of organizations) {
    if (signOn !== undefined) applicable(name, () => completeSettings(signOn));
  }
}

/** Nodes that start together change the same row. */
const triesMax = 10;

/**
 * Applies the identity provider of the file where the stored one differs. A provider that cannot be
 * reached does not prevent the start: it is saved with a warning.
 */
async function provisionSignOn(
  { storage, identityProviders: providers, log }: ProvisionedParts,
  { id: organizationId, name }: { id: string; name: string },
  signOn: SetSignOnBody,
): Promise<void> {
  const settings = applicable(name, () => completeSettings(signOn));
  const { clientSecret: secret = null } = signOn;
  const apply = async (isFirst: boolean): Promise<boolean> => {
    const stored = await storage.read("signOn.read", { organizationId });
    if (stored !== null && isDeepStrictEqual(settingsOf(stored), settings))
      if (isSameSecret(providers, stored, secret)) return true;
    if (isFirst) await warnUnlessUsable(providers, { name, settings, secret }, log);
    const sealedSecret = providers.seal(organizationId, secret);
    const seen = stored?.revision ?? null;
    return writeOne(storage, "signOn.provision", { organizationId, settings, sealedSecret, seen });
  };
  try {
    await unlessFull(log, "the sign-on", async () => {
      for (let tries = 1; !(await apply(tries === 1)); tries += 1)
        if (tries === triesMax) throw new Error(`BUG: the sign-on of ${name} changes all the time`);
    });
  } catch (error) {
    throw asConfigError(name, error);
  }
}

function isSameSecret(
  providers: IdentityProviders,
  stored: StoredSignOn,
  secret: string | null,
): boolean {
  try {
    return providers.secretOf(stored) === secret;
  } catch (error) {
    // The file has it, so it is sealed again.
    if (error instanceof SealBroken) return false;
    throw error;
  }
}

async function warnUnlessUsable(
  providers: IdentityProviders,
  { name, settings, secret }: { name: string; settings: ProviderSettings; secret: string | null },
  log: Log,
): Promise<void> {
  try {
    await providers.check(settings, secret);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    log.warn(
      { organization: name, issuer: settings.issuer, reason: error.message },
      "AN IDENTITY PROVIDER OF THE PROVISION FILE CANNOT BE USED. It is saved as the file says, but sign-in by it may fail.",
    );
  }
}

function applicable<Result>(name: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asConfigError(name, error);
  }
}

function asConfigError(name: string, error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  return new ConfigError(
    `The sign-on of "${name}" in the provision file cannot be applied: ${error.message}`,
  );
}

/** Runs a write; a nearly full disk fails it without preventing reads. */
async function unlessFull(log: Log, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "storage_full") throw error;
    log.error(`The disk is nearly full: the provision file was not applied to ${what}.`);
  }
}
