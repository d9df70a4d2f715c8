import { StoreError } from "../../buckets/bucket.ts";
import type { BuiltInBucket } from "../../buckets/built-in/bucket.ts";
import type { EgressPolicy } from "../../buckets/egress.ts";
import { S3Bucket } from "../../buckets/s3/bucket.ts";
import type { Log } from "../../ground/log.ts";
import { writeOne } from "../../storage/storage.ts";
import {
  type ConnectionSetup,
  VerifiedConnectionSetup,
} from "../../places/stores/connection-setup.ts";
import { Failpoints } from "./failpoints.ts";
import { LocationBuckets, type OpenStore } from "../../places/stores/location-buckets.ts";
import {
  type LocationSetup,
  type LocationSetupSettings,
  ProbedLocationSetup,
} from "../../places/stores/location-setup.ts";
import { Versions, type VersionWalks } from "./versions.ts";
import { Files, type FileWalks } from "./files.ts";
import { PassingParts } from "../../places/stores/passed-parts.ts";
import {
  organizationIds,
  type OrganizationLocations,
  type ProvisionSettings,
  checkStores,
  provisionStores,
} from "../../places/stores/provision-locations.ts";
import { Sweeper } from "../sweeping/sweeper.ts";
import { BuiltInObjects, type SignedObjects } from "../../places/stores/signed-objects.ts";

/** The services that work with buckets, as the HTTP side sees them. */
export interface ArtifactServices {
  readonly versions: VersionWalks;
  readonly connections: ConnectionSetup;
  readonly locations: LocationSetup;
  readonly objects: SignedObjects;
  readonly files: FileWalks;
}

export interface ArtifactServiceSettings extends Omit<
  LocationSetupSettings,
  "openStore" | "warn" | "note"
> {
  builtIn: BuiltInBucket;
  log: Log;
  /** Whether several nodes share the database. */
  sharesDatabase: boolean;
}

/** The live parts of this folder, built once storage is open and the master key is known. */
export class OpenArtifactServices implements ArtifactServices, AsyncDisposable {
  readonly versions: VersionWalks;
  readonly connections: ConnectionSetup;
  readonly locations: LocationSetup;
  readonly objects: SignedObjects;
  readonly files: FileWalks;
  /** Sweeper, to be run once the service serves. */
  readonly sweeper: Sweeper;
  readonly #buckets: LocationBuckets;
  readonly #settings: ProvisionSettings;
  readonly #parts: PassingParts;

  constructor({ builtIn, ...settings }: ArtifactServiceSettings) {
    const { sealing, egress } = settings;
    const openStore = storeOpener(egress);
    this.#buckets = new LocationBuckets(builtIn, sealing, openStore, settings.clouds);
    this.#settings = { ...settings, openStore };
    const objects = new BuiltInObjects(builtIn, settings.storage, settings.log);
    this.objects = objects;
    this.#parts = new PassingParts(objects, egress);
    const { storage, clock, log, sharesDatabase } = settings;
    const warn = (message: string, error: unknown) => {
      // A store that refuses or is away is no bug of ours: where we noticed it says nothing.
      if (!(error instanceof StoreError)) return log.warn({ err: error }, message);
      const { code, message: reason, advice } = error;
      log.warn({ code, reason, ...(advice === undefined ? {} : { advice }) }, message);
    };
    const buckets = this.#buckets;
    this.sweeper = new Sweeper({ storage, buckets, clock, warn, sharesDatabase });
    const failpoints = new Failpoints(process.env.LOSSLESS_TEST_FAILPOINT);
    const walks = { storage, buckets, clock, warn, failpoints };
    this.versions = new Versions(walks);
    this.files = new Files({ ...walks, parts: this.#parts, objects });
    this.connections = new VerifiedConnectionSetup(settings);
    const note = (message: string) => log.info(message);
    this.locations = new ProbedLocationSetup({ ...settings, openStore, warn, note });
  }

  /**
   * Applies the provision file at every start, after its organizations exist: their locations, then
   * the built-in location for organizations that have none.
   */
  async provision(organizations: readonly OrganizationLocations[]): Promise<void> {
    const { storage } = this.#settings;
    const named = organizations.filter(({ locations }) => locations.length > 0);
    await provisionStores(named, this.#settings);
    const ids = await organizationIds(storage);
    const except = named.flatMap(({ name }) => ids.get(name) ?? []);
    await writeOne(storage, "location.ensureBuiltIn", { except });
  }

  /** Throws ConfigError where `provision` would, before anything of the file is applied. */
  async checkProvision(organizations: readonly OrganizationLocations[]): Promise<void> {
    await checkStores(organizations, this.#settings);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts[Symbol.dispose]();
    await this.#buckets[Symbol.asyncDispose]();
  }
}

/** Drivers of S3-compatible stores that connect where the policy allows it. */
export function storeOpener(egress: EgressPolicy): OpenStore {
  return (access, limits) => new S3Bucket({ ...access, ...limits, egress });
}
