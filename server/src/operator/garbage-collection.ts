import { existsSync } from "node:fs";
import { join } from "node:path";
import { findExpired } from "../artifacts/removal.ts";
import { identityFileName } from "../buckets/built-in/identity.ts";
import { BuiltInBucket, type BuiltInSettings } from "../buckets/built-in/bucket.ts";
import { StoreError } from "../buckets/bucket.ts";
import { EgressPolicy } from "../buckets/egress.ts";
import type { TokenIssuer } from "../clouds/cloud.ts";
import { openClouds } from "../clouds/clouds.ts";
import { mergeEndpoints } from "../clouds/endpoints.ts";
import { Issuer } from "../issuer/issuer.ts";
import { systemClock } from "../ground/clock.ts";
import { checkFormat } from "../database/migrate.ts";
import { existingMasterKey, requireMasterKey } from "../master-key.ts";
import { readProvisionFile } from "../provision-file.ts";
import { Sealing } from "../ground/sealing.ts";
import { DirectStorage } from "../storage/direct-storage.ts";
import { openDatabase } from "../storage/open-database.ts";
import { type DriverSettings, requireData } from "../storage/open-drivers.ts";
import { openBuiltIn } from "../stores/built-in-location.ts";
import { collectGarbage, type GarbageReport, noIssuerCode } from "../sweeping/garbage.ts";
import { LocationBuckets } from "../stores/location-buckets.ts";
import { storeOpener } from "../versions/artifact-services.ts";

export type { GarbageReport };

export interface GarbageCollectionSettings extends DriverSettings {
  /** The service's directory, also with a database elsewhere: it has master key and artifacts. */
  data: string;
  artifacts: string | undefined;
  masterKeyFile: string | undefined;
  /** The provision file of the service: it says which private addresses stores may have. */
  provision: string | undefined;
  /** The service's tokens name it, for buckets in connected clouds; those are not seen without. */
  issuerUrl: string | undefined;
  dryRun: boolean;
}

const expiredMax = 100_000;

/**
 * Looks through the database and every location for what is no version, the service running or not,
 * and removes what abandoned uploads left. Throws ConfigError, NewerFormat and DatabaseError.
 */
export async function garbageCollection(
  settings: GarbageCollectionSettings,
): Promise<GarbageReport> {
  requireData(settings);
  await using database = await openDatabase(settings, "write");
  await database.read(checkFormat);
  const clock = systemClock;
  const storage = new DirectStorage(database, clock);
  const sealing = await openSealing(settings, storage);
  const builtIn = await builtInOf(settings, storage);
  const provision =
    settings.provision === undefined ? undefined : readProvisionFile(settings.provision);
  const egress = new EgressPolicy({
    allowPrivate: provision?.egress?.allowPrivate ?? [],
    ownAddresses: () => [],
  });
  const tokens = tokensOf(settings, storage, sealing);
  const clouds = openClouds({ tokens, endpoints: mergeEndpoints(provision?.clouds), clock });
  await using buckets = new LocationBuckets(builtIn, sealing, storeOpener(egress), clouds);
  return await collectGarbage({
    storage,
    buckets,
    clock,
    dryRun: settings.dryRun,
    countExpired: () =>
      database.read(async (reader) => {
        const found = await findExpired(reader, { limit: expiredMax }, { nowMs: clock() });
        return found.length;
      }),
  });
}

async function openSealing(
  { data, masterKeyFile }: GarbageCollectionSettings,
  storage: DirectStorage,
): Promise<Sealing> {
  const masterKey = existingMasterKey(data, masterKeyFile);
  requireMasterKey(masterKey, await storage.read("masterKey.inUse", {}));
  return new Sealing(masterKey);
}

function tokensOf(
  { issuerUrl }: GarbageCollectionSettings,
  storage: DirectStorage,
  sealing: Sealing,
): TokenIssuer {
  if (issuerUrl !== undefined) {
    return new Issuer({ storage, sealing, issuerUrl, clock: systemClock });
  }
  const advice = "Give --issuer-url: the address of the token issuer that the cloud trusts.";
  const refusal = () => new StoreError(noIssuerCode, false, advice, undefined, advice);
  return { mint: () => Promise.reject(refusal()) };
}

/** Never makes a directory: where there is none, it is somewhere else. */
async function builtInOf(
  { data, artifacts }: GarbageCollectionSettings,
  storage: DirectStorage,
): Promise<BuiltInBucket> {
  const directory = artifacts ?? join(data, "artifacts");
  // Nothing is signed here.
  const signingKey = new Uint8Array(32);
  const settings: BuiltInSettings = { directory, signingKey, baseUrl: () => "" };
  if (existsSync(join(directory, identityFileName))) {
    return openBuiltIn(settings, storage, () => undefined);
  }
  const bucket = new BuiltInBucket(settings);
  bucket.refuse(`There are no artifacts in ${directory}; --artifacts names their directory.`);
  return bucket;
}
