import { systemClock } from "./clock.ts";
import type { Database } from "./database/database.ts";
import { checkFormat } from "./database/migrate.ts";
import { createKey, listKeys, revokeKey } from "./organizations/keys.ts";
import type { ApiKey, CreatedKey } from "./organizations/keys.ts";
import { ensureOrganization } from "./organizations/organization.ts";
import { openDatabase, requireData } from "./storage/open-drivers.ts";
import type { DriverSettings } from "./storage/open-drivers.ts";

/**
 * API keys for the operator, beside a stopped or a running service: a service asks for a key with every
 * request, so a new key works at once and a revoked one ends at once.
 */
export async function administerKeys(settings: DriverSettings): Promise<KeyAdministration> {
  requireData(settings);
  const database = openDatabase(settings, "write");
  try {
    await database.read(checkFormat);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  return new KeyAdministration(database);
}

export class KeyAdministration implements AsyncDisposable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Oldest first, revoked ones too. Throws ServiceError `not_found` for an unknown organization. */
  list(organization?: string): Promise<ApiKey[]> {
    const input = organization === undefined ? {} : { organization };
    return this.#database.read((reader) => listKeys(reader, input));
  }

  /** The secret is in the result and nowhere else. With `newOrganization` a missing one is made. */
  create(organization: string, name: string, newOrganization: boolean): Promise<CreatedKey> {
    const nowMs = systemClock();
    return this.#database.write(async (transaction) => {
      if (newOrganization) await ensureOrganization(transaction, organization, nowMs);
      return createKey(transaction, { organization, name, createdBy: "operator" }, { nowMs });
    });
  }

  revoke(keyId: string): Promise<{ keyId: string }> {
    const nowMs = systemClock();
    return this.#database.write((transaction) => revokeKey(transaction, { keyId }, { nowMs }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}
