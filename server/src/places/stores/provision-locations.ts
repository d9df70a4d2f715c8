import { isDeepStrictEqual } from "node:util";
import type { StoreLocationBody } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { isSameBucket } from "../rows/locations/add.ts";
import { locationSecretContext, type StoredLocation } from "../rows/locations/location.ts";
import type { ProvisionedLocation } from "../rows/locations/provisioned.ts";
import type { Log } from "../../ground/log.ts";
import { ConfigError } from "../../settings/options.ts";
import { SealBroken, type Sealing } from "../../ground/sealing.ts";
import { type Storage, writeOne } from "../../storage/storage.ts";
import type { StoreAccess } from "./location-buckets.ts";
import { addressOf, type ProbeSettings, probeStore } from "./location-setup.ts";
import { ProbeFailed, type ProbeTimes } from "./probe.ts";

export interface ProvisionSettings extends ProbeSettings {
  storage: Storage;
  sealing: Sealing;
  log: Log;
  times?: ProbeTimes;
}

/** An organization of the provision file, with the locations that it names there. */
export interface OrganizationLocations {
  name: string;
  locations: readonly StoreLocationBody[];
}

/** A store that is away must not keep the service from starting for long. */
const startTimes: ProbeTimes = { stepsMs: 5_000, cleanupMs: 1_000 };
/** Time for all probes of one organization; the remaining stores are saved without one. */
const allProbesMs = 30_000;
/** Maximum of concurrent probes; each holds 5 MiB. */
const probesAtOnce = 4;
/** Nodes that start together change the same rows. */
const triesMax = 10;

/**
 * Applies the `locations` of the provision file, at every start: new ones are added, changed access
 * is stored (this is how an operator changes the keys of a store), `fallback: true` moves the
 * fallback. Nothing is deleted or retired. A store that fails its probe is saved with a warning,
 * and probed again at the next start. Throws ConfigError when the file is impossible to apply.
 */
export async function provisionStores(
  organizations: readonly OrganizationLocations[],
  settings: ProvisionSettings,
): Promise<void> {
  const ids = await organizationIds(settings.storage);
  for (const { name, locations } of organizations) {
    const organizationId = ids.get(name);
    // It was deleted for good.
    if (organizationId === undefined) continue;
    await new OrganizationProvision(name, organizationId, locations, settings).apply();
  }
}

/** Throws what `provisionStores` would throw for what is stored now; changes nothing. */
export async function checkStores(
  organizations: readonly OrganizationLocations[],
  settings: ProvisionSettings,
): Promise<void> {
  const ids = await organizationIds(settings.storage);
  for (const { name, locations } of organizations) {
    const organizationId = ids.get(name);
    if (organizationId === undefined) continue;
    await new OrganizationProvision(name, organizationId, locations, settings).check();
  }
}

export async function organizationIds(storage: Storage): Promise<Map<string, string>> {
  const organizations = await storage.read("organization.list", undefined);
  return new Map(organizations.map(({ id, name }) => [name, id]));
}

interface Found {
  body: StoreLocationBody;
  endpoint: string;
  stored: StoredLocation | undefined;
}

interface Difference extends Found {
  isProbeDue: boolean;
  /** Whether only the probe is due: when it fails again there is nothing to store. */
  isSame: boolean;
}

class OrganizationProvision {
  readonly #name: string;
  readonly #organizationId: string;
  readonly #bodies: readonly StoreLocationBody[];
  readonly #settings: ProvisionSettings;
  readonly #probesEndAtMs = performance.now() + allProbesMs;
  /** Findings by endpoint, bucket and path: a second attempt does not probe again. */
  readonly #findings = new Map<string, Record<string, unknown>>();

  constructor(
    name: string,
    organizationId: string,
    bodies: readonly StoreLocationBody[],
    settings: ProvisionSettings,
  ) {
    this.#name = name;
    this.#organizationId = organizationId;
    this.#bodies = bodies;
    this.#settings = settings;
  }

  async apply(): Promise<void> {
    for (let tries = 1; ; tries++) {
      const locations = await this.#changes();
      if (locations.length === 0) return;
      try {
        const organizationId = this.#organizationId;
        await writeOne(this.#settings.storage, "location.provision", { organizationId, locations });
        return;
      } catch (error) {
        const isRace = error instanceof ServiceError && error.code === "conflict";
        if (!isRace || tries === triesMax) throw error;
      }
    }
  }

  async check(): Promise<void> {
    await this.#found();
  }

  async #changes(): Promise<ProvisionedLocation[]> {
    const differences = (await this.#found()).map((one) => this.#compare(one));
    const due = differences.filter((one) => one !== undefined);
    const toProbe = due.filter(({ isProbeDue }) => isProbeDue);
    for (let start = 0; start < toProbe.length; start += probesAtOnce) {
      const group = toProbe.slice(start, start + probesAtOnce);
      await Promise.all(group.map((one) => this.#probe(one)));
    }
    const hasNews = ({ body, endpoint, isSame }: Difference) =>
      !isSame || Object.keys(this.#findings.get(bucketKey(body, endpoint)) ?? {}).length > 0;
    return due.filter(hasNews).map((one) => this.#provisioned(one));
  }

  /** Finds what is stored of each location of the file. */
  async #found(): Promise<Found[]> {
    const organizationId = this.#organizationId;
    const existing = await this.#settings.storage.read("location.list", { organizationId });
    const found = this.#bodies.map((body) => this.#find(body, existing));
    for (const [at, { body, stored }] of found.entries()) {
      const before = found.slice(0, at).find((one) => stored && one.stored?.id === stored.id);
      if (before === undefined) continue;
      const other = before.body.name ?? before.body.bucket;
      throw this.#contradiction(
        body,
        `by its name it is the stored location that "${other}" is too. Give it another name`,
      );
    }
    return found;
  }

  #find(body: StoreLocationBody, existing: readonly StoredLocation[]): Found {
    const verdict = this.#settings.egress.checkEndpoint(body.endpoint);
    if ("refusal" in verdict) throw this.#contradiction(body, `its endpoint ${verdict.refusal}`);
    const endpoint = verdict.origin;
    const address = { endpoint, bucket: body.bucket, path: body.path };
    const stored =
      existing.find((one) => isSameBucket(one, address)) ??
      existing.find((one) => one.driver === "s3" && one.name === body.name);
    if (stored !== undefined && stored.connection !== null) {
      throw this.#contradiction(body, "the service made that bucket itself, for a connection");
    }
    if (stored !== undefined && (stored.bucket !== body.bucket || stored.path !== body.path)) {
      throw this.#contradiction(
        body,
        `a location of that name has the bucket "${stored.bucket}" and the path "${stored.path}". Versions ` +
          "stored there would be lost: add the new place under another name",
      );
    }
    return { body, endpoint, stored };
  }

  /** Compares a location; undefined when the stored one equals that of the file. */
  #compare({ body, endpoint, stored }: Found): Difference | undefined {
    if (stored === undefined) return { body, endpoint, stored, isProbeDue: true, isSame: false };
    const access = accessIn(body, endpoint);
    const isSameAccess = isDeepStrictEqual(this.#storedAccess(stored), access);
    const isProbeDue = !isSameAccess || Object.keys(stored.capabilities).length === 0;
    const { cloud, region, name = stored.name } = body;
    const wantsFallback = body.fallback === true && !stored.isFallback;
    if (wantsFallback && stored.state === "retired") {
      this.#settings.log.warn(
        { organization: this.#name, location: stored.name },
        "the provision file names a retired location as the fallback; the fallback was not changed",
      );
    }
    const isSame =
      isSameAccess &&
      isDeepStrictEqual([stored.cloud, stored.region, stored.name], [cloud, region, name]) &&
      !(wantsFallback && stored.state === "active");
    return isSame && !isProbeDue ? undefined : { body, endpoint, stored, isProbeDue, isSame };
  }

  /** Undefined when the secret does not open: the file has it, so it is sealed again. */
  #storedAccess(stored: StoredLocation): StoreAccess | undefined {
    const { endpoint, bucket, signingRegion, pathStyle, accessKeyId, sealedSecret } = stored;
    if (sealedSecret === null) return undefined;
    try {
      const secretAccessKey = this.#settings.sealing.open(
        sealedSecret,
        locationSecretContext(stored),
      );
      return {
        endpoint,
        bucket,
        signingRegion: signingRegion ?? "",
        pathStyle: pathStyle ?? true,
        accessKeyId: accessKeyId ?? "",
        secretAccessKey,
      };
    } catch (error) {
      if (error instanceof SealBroken) return undefined;
      throw error;
    }
  }

  async #probe({ body, endpoint }: Difference): Promise<void> {
    const key = bucketKey(body, endpoint);
    if (this.#findings.has(key)) return;
    const { log, times = startTimes } = this.#settings;
    try {
      if (performance.now() > this.#probesEndAtMs) throw new ProbeFailed("start", "no time left");
      const access = accessIn(body, endpoint);
      this.#findings.set(key, await probeStore(this.#settings, access, body.path, times));
    } catch (error) {
      if (!(error instanceof ProbeFailed)) throw error;
      this.#findings.set(key, {});
      const { step, code } = error;
      const address = { organization: this.#name, endpoint, bucket: body.bucket, path: body.path };
      log.warn(
        { ...address, step, code },
        "A LOCATION OF THE PROVISION FILE FAILED ITS PROBE. It is saved as the file says, and writes to it may fail.",
      );
    }
  }

  #provisioned({ body, endpoint, stored }: Difference): ProvisionedLocation {
    const { sealing, clock } = this.#settings;
    const id = stored?.id ?? newId(clock());
    const organizationId = this.#organizationId;
    const access = accessIn(body, endpoint);
    const isSameSecret =
      stored !== undefined &&
      this.#storedAccess(stored)?.secretAccessKey === access.secretAccessKey;
    const context = locationSecretContext({ id, organizationId });
    return {
      ...addressOf(body),
      id,
      organizationId,
      endpoint,
      name: body.name ?? stored?.name ?? body.bucket,
      sealedSecret: isSameSecret
        ? stored.sealedSecret!
        : sealing.seal(access.secretAccessKey, context),
      capabilities: this.#findings.get(bucketKey(body, endpoint)) ?? stored?.capabilities ?? {},
      fallback: body.fallback ?? false,
      isNew: stored === undefined,
    };
  }

  #contradiction(body: StoreLocationBody, what: string): ConfigError {
    const name = body.name ?? body.bucket;
    return new ConfigError(
      `The location "${name}" of "${this.#name}" in the provision file cannot be applied: ${what}.`,
    );
  }
}

function accessIn(body: StoreLocationBody, endpoint: string): StoreAccess {
  const { bucket, signingRegion, pathStyle, accessKeyId, secretAccessKey } = body;
  return { endpoint, bucket, signingRegion, pathStyle, accessKeyId, secretAccessKey };
}

function bucketKey({ bucket, path }: StoreLocationBody, endpoint: string): string {
  return JSON.stringify([endpoint, bucket, path]);
}
