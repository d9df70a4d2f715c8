import type { Actor } from "../database/audit/audit.ts";
import { systemClock } from "../ground/clock.ts";
import { isAmong, NotPublished, publishedKeys } from "../places/issuer/publication.ts";
import { Issuer } from "../places/issuer/issuer.ts";
import { checkFormat } from "../database/migrate.ts";
import { ServiceError } from "../ground/errors.ts";
import { isPublished, type IssuerKey, type KeyState, readKeys } from "../places/rows/issuer/key.ts";
import { existingMasterKey, requireMasterKey } from "../settings/master-key.ts";
import { ConfigError } from "../settings/options.ts";
import { Sealing } from "../ground/sealing.ts";
import { DirectStorage } from "../storage/direct-storage.ts";
import { openDatabase } from "../storage/open-database.ts";
import { type DriverSettings, requireData } from "../storage/open-drivers.ts";

/** A key without anything secret. */
export interface ShownIssuerKey {
  id: string;
  state: KeyState;
  createdAtMs: number;
  changedAtMs: number;
  isPublished: boolean;
}

export interface IssuerRotationSettings extends DriverSettings {
  /** Directory of the master key when no file is given. */
  data: string;
  masterKeyFile: string | undefined;
  /** Address at which clouds fetch the documents; needed unless `isForced`. */
  issuerUrl: string | undefined;
  /** Whether to rotate however short the next key has been published. */
  isForced: boolean;
  /** The key that signed until now is published no more. */
  withdraws: boolean;
}

/** Minimal time of publication for a rotation by hand: the maximal age of clouds' caches. */
const publishedMsMin = 24 * 60 * 60_000;
const operator: Actor = { actor: "operator", address: null };

/** The token issuer's keys, of any service. Throws ConfigError, NewerFormat, DatabaseError. */
export async function listIssuerKeys(settings: DriverSettings): Promise<ShownIssuerKey[]> {
  requireData(settings);
  await using database = await openDatabase(settings, "read");
  await database.read(checkFormat);
  return shown(await database.read((reader) => readKeys(reader, {})));
}

/**
 * Rotates by hand. A running service signs its next token with the new key, since it reads the keys
 * for each of them. Throws ServiceError when the next key must not sign yet, besides the errors of
 * listIssuerKeys.
 */
export async function rotateIssuerKey(settings: IssuerRotationSettings): Promise<ShownIssuerKey[]> {
  requireData(settings);
  const { isForced, withdraws, issuerUrl = "" } = settings;
  if (!isForced && issuerUrl === "") throw new ConfigError(addressNeeded);
  await using database = await openDatabase(settings, "write");
  await database.read(checkFormat);
  const storage = new DirectStorage(database, systemClock);
  const masterKey = existingMasterKey(settings.data, settings.masterKeyFile);
  requireMasterKey(masterKey, await storage.read("masterKey.inUse", {}));
  const sealing = new Sealing(masterKey);
  const issuer = new Issuer({ storage, sealing, issuerUrl, clock: systemClock });
  const next = (await issuer.stored()).find(({ state }) => state === "next");
  if (next === undefined) {
    throw new ServiceError(
      "not_found",
      "There are no keys yet: the service makes them when they are first needed.",
    );
  }
  if (!isForced) {
    requireAge(next, systemClock());
    await requirePublished(next, issuerUrl);
  }
  const ageMs = isForced ? 0 : publishedMsMin;
  const wanted = { nextId: next.id, publishedMsMin: ageMs, withdraws, by: operator };
  if (!(await issuer.rotate(wanted))) {
    throw new ServiceError("conflict", "The keys were rotated meanwhile; nothing was changed.");
  }
  return shown(await issuer.stored());
}

/** Without a look at the published set, clouds might refuse every token of the next key. */
const addressNeeded =
  "The token issuer's address is needed, to see that the next key is published there: give --issuer-url, or the " +
  "service's own options by --config, LOSSLESS_ISSUER_URL or LOSSLESS_BASE_URL (the base URL is the address if " +
  "the service has no --issuer-url). --force skips this check.";

function requireAge({ changedAtMs }: IssuerKey, nowMs: number): void {
  const ageMs = nowMs - changedAtMs;
  if (ageMs >= publishedMsMin) return;
  const hours = Math.max(0, Math.floor(ageMs / 3_600_000));
  throw new ServiceError(
    "conflict",
    `The next key has been published for ${hours} hours, and clouds may not know it yet: it may sign after 24. ` +
      "With --force it signs at once.",
  );
}

async function requirePublished(next: IssuerKey, issuerUrl: string): Promise<void> {
  try {
    if (isAmong(await publishedKeys(issuerUrl, new AbortController().signal), next)) return;
  } catch (error) {
    if (!(error instanceof NotPublished)) throw error;
    throw new ServiceError("conflict", `${error.message}; --force skips this check.`);
  }
  throw new ServiceError(
    "conflict",
    `The next key ${next.id} is not published at ${issuerUrl}: run lossless issuer export DIR, publish both files ` +
      "there, and wait a day. With --force it signs at once.",
  );
}

function shown(keys: readonly IssuerKey[]): ShownIssuerKey[] {
  const nowMs = systemClock();
  return keys.map((key) => {
    const { id, state, createdAtMs, changedAtMs } = key;
    return { id, state, createdAtMs, changedAtMs, isPublished: isPublished(key, nowMs) };
  });
}
