import { existsSync } from "node:fs";
import { join } from "node:path";
import { identityFileName } from "../buckets/built-in/identity.ts";
import { BuiltInBucket, type BuiltInSettings } from "../buckets/built-in/bucket.ts";
import { StoreError } from "../buckets/bucket.ts";
import { EgressPolicy } from "../buckets/egress.ts";
import type { TokenIssuer } from "../places/clouds/cloud.ts";
import { openClouds } from "../places/clouds/clouds.ts";
import { mergeEndpoints } from "../places/clouds/endpoints.ts";
import type { Database } from "../database/database.ts";
import { checkFormat } from "../database/migrate.ts";
import { systemClock } from "../ground/clock.ts";
import { Sealing } from "../ground/sealing.ts";
import { Issuer } from "../places/issuer/issuer.ts";
import { existingMasterKey, requireMasterKey } from "../settings/master-key.ts";
import { readProvisionFile } from "../settings/provision-file.ts";
import { DirectStorage } from "../storage/direct-storage.ts";
import { openDatabase } from "../storage/open-database.ts";
import { type DriverSettings, requireData } from "../storage/open-drivers.ts";
import { openBuiltIn } from "../places/stores/built-in-location.ts";
import { LocationBuckets } from "../places/stores/location-buckets.ts";
import { noIssuerCode } from "../artifacts/sweeping/garbage.ts";
import { storeOpener } from "../artifacts/versions/artifact-services.ts";

export interface LocationsSettings extends DriverSettings {
  /** The service's directory, also with a database elsewhere: it has master key and artifacts. */
  data: string;
  artifacts: string | undefined;
  masterKeyFile: string | undefined;
  /** The provision file of the service: it says which private addresses stores may have. */
  provision: string | undefined;
  /**
   * Issuer in the service's tokens, for buckets in connected clouds; without it these are skipped.
   */
  issuerUrl: string | undefined;
}

export interface LocationsOnData {
  database: Database;
  storage: DirectStorage;
  buckets: LocationBuckets;
  egress: EgressPolicy;
  sealing: Sealing;
}

/**
 * Runs `work` with every location of an installation, the service running or not. Throws
 * ConfigError, NewerFormat and DatabaseError.
 */
export async function withLocations<Result>(
  settings: LocationsSettings,
  work: (locations: LocationsOnData) => Promise<Result>,
): Promise<Result> {
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
  return await work({ database, storage, buckets, egress, sealing });
}

async function openSealing(
  { data, masterKeyFile }: LocationsSettings,
  storage: DirectStorage,
): Promise<Sealing> {
  const masterKey = existingMasterKey(data, masterKeyFile);
  requireMasterKey(masterKey, await storage.read("masterKey.inUse", {}));
  return new Sealing(masterKey);
}

function tokensOf(
  { issuerUrl }: LocationsSettings,
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

/** Opens the built-in location; never makes its directory: where there is none, it is elsewhere. */
async function builtInOf(
  { data, artifacts }: LocationsSettings,
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
