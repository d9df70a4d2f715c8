import { ServiceError } from "./ground/errors.ts";
import type { Log } from "./ground/log.ts";
import { ConfigError } from "./options.ts";
import type { Passwords } from "./ground/passwords.ts";
import type { FirstStart } from "./people/bootstrap.ts";
import type { ProvisionedPerson } from "./people/provision.ts";
import type { ProvisionedOrganization, ProvisionFile } from "./provision-file.ts";
import type { QuotaChange } from "./quotas/quota.ts";
import { hashSecret } from "./ground/secrets.ts";
import { type Storage, writeOne } from "./storage/storage.ts";
import type { OpenArtifactServices } from "./versions/artifact-services.ts";

/**
 * What every start does before it serves: applies the provision file's organizations, keys and
 * people, or, on an empty installation without a file, makes the first organization, and gives its
 * key and set-up link, once.
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
    await writeOne(storage, "organization.provision", { organizations });
    await provisionPeople(storage, file, passwords);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "storage_full") throw error;
    if (!hasOrganizations) {
      throw new ConfigError(
        "There is too little free space on the disk of the data directory to begin: no organization and no " +
          "API key could be made. Free some space, or lower --disk-reserve-bytes.",
      );
    }
    // A full disk must not keep what is stored from being read.
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

/** Slow hashes are made here, before the transaction; none when the file says what it said. */
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

/** Each person of the file once; the file's check has seen to it that they have one password. */
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

/** A nearly full disk keeps nobody from reading what is there. */
export async function provisionLocations(
  services: OpenArtifactServices,
  file: ProvisionFile | undefined,
  log: Log,
): Promise<void> {
  const organizations = (file?.organizations ?? []).map(({ name, locations }) => ({
    name,
    locations: locations ?? [],
  }));
  try {
    await services.provision(organizations);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "storage_full") throw error;
    log.error("The disk is nearly full: the locations of the provision file were not applied.");
  }
}
