import { existsSync } from "node:fs";
import { join } from "node:path";
import { audit } from "../database/audit/audit.ts";
import { systemClock } from "../ground/clock.ts";
import { lockDirectory } from "../database/lock.ts";
import { checkFormat } from "../database/migrate.ts";
import {
  ensureNextKey,
  makeMasterKey,
  masterKeyFileName,
  readMasterKey,
  takeNextKey,
} from "../settings/master-key.ts";
import { ConfigError } from "../settings/options.ts";
import { SealBroken, Sealing, masterKeyId } from "../ground/sealing.ts";
import { openDatabase } from "../storage/open-database.ts";
import { type DriverSettings, requireData } from "../storage/open-drivers.ts";
import { masterKeysInUse, resealEverything } from "../storage/sealed-secrets.ts";

export interface RotationSettings extends DriverSettings {
  /** The data directory, also with a database elsewhere: it has the key when no file is given. */
  data: string;
  /** The key in use; undefined: that of the data directory. */
  oldMasterKeyFile: string | undefined;
  /**
   * File of the key to change to, made if it does not exist; undefined: a new key in the data
   * directory.
   */
  masterKeyFile: string | undefined;
}

export interface MasterKeyRotation {
  /** Names the key that is in use from now on. */
  keyId: string;
  /** Path of the key. */
  file: string;
  resealed: number;
}

/**
 * Changes the master key, while no service runs: every secret is sealed again in one transaction.
 * It may be cut short anywhere and run again: until the transaction is committed the old key opens
 * everything, afterwards the new one, and both files are there until that is certain. Throws
 * ConfigError, DirectoryInUse.
 */
export async function rotateMasterKey(settings: RotationSettings): Promise<MasterKeyRotation> {
  requireData(settings);
  const { dataDirectory, data } = settings;
  using _lock = dataDirectory === undefined ? undefined : lockDirectory(dataDirectory);
  await using database = await openDatabase(settings, "write");
  await database.read(checkFormat);
  const sealedUnder = await database.read((reader) => masterKeysInUse(reader, {}));
  const { before, after } = keysOf(settings);
  const sealing = new Sealing(after, before);
  requireKnown(sealedUnder, [masterKeyId(before), sealing.keyId]);
  const nowMs = systemClock();
  const resealed = await database.write(async (transaction) => {
    const count = await resealEverything(transaction, sealing).catch(refuseBroken);
    const operator = { actor: "operator", address: null, organizationId: null };
    const details = { from: masterKeyId(before), to: sealing.keyId, resealed: count };
    await audit(transaction, { ...operator, action: "masterKey.rotated", details }, { nowMs });
    return count;
  });
  if (settings.masterKeyFile === undefined) takeNextKey(data);
  const file = settings.masterKeyFile ?? join(data, masterKeyFileName);
  return { keyId: sealing.keyId, file, resealed };
}

function keysOf({ data, oldMasterKeyFile, masterKeyFile }: RotationSettings) {
  const oldFile = oldMasterKeyFile ?? join(data, masterKeyFileName);
  if (oldMasterKeyFile === undefined && !existsSync(oldFile)) {
    throw new ConfigError(
      `There is no master key in ${data}: name the current one with --old-master-key-file.`,
    );
  }
  if (oldMasterKeyFile !== undefined && masterKeyFile === undefined) {
    throw new ConfigError(
      "The key in use is in a file of its own: name one for the new key with --master-key-file.",
    );
  }
  const before = readMasterKey(oldFile);
  if (masterKeyFile !== undefined && !existsSync(masterKeyFile)) makeMasterKey(masterKeyFile);
  const after = masterKeyFile === undefined ? ensureNextKey(data) : readMasterKey(masterKeyFile);
  if (masterKeyId(after) === masterKeyId(before)) {
    throw new ConfigError("The new master key is the old one.");
  }
  return { before, after };
}

function refuseBroken(error: unknown): never {
  if (!(error instanceof SealBroken)) throw error;
  throw new ConfigError(
    `${error.message} Nothing was changed, and the old key stays in use: bring the database back from a backup.`,
  );
}

function requireKnown(sealedUnder: readonly string[], known: readonly string[]): void {
  const unknown = sealedUnder.filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  throw new ConfigError(
    `Secrets are sealed under the master key with the id ${unknown.join(", ")}, which is neither the old ` +
      `(${known[0]}) nor the new one (${known[1]}). Nothing was changed.`,
  );
}
