import { setTimeout as pause } from "node:timers/promises";
import type { CreatedLocationBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Actor } from "../../database/audit/audit.ts";
import { StoreError } from "../../buckets/bucket.ts";
import type { EgressPolicy } from "../../buckets/egress.ts";
import type { Cloud, Clouds, CreatedBucket } from "../clouds/cloud.ts";
import type { CloudName, ConnectionAccess } from "../rows/connections/connection.ts";
import { noSuchConnection } from "../rows/connections/stored-connection.ts";
import { withDeadline } from "../../ground/deadline.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { type CreatedLocation, tooManyLocations } from "../rows/locations/add.ts";
import type { StoredLocation } from "../rows/locations/location.ts";
import { type Storage, writeOne } from "../../storage/storage.ts";
import { FairShares } from "../../ground/fair-shares.ts";
import { clocksDiffer, probeBucket, ProbeFailed, type ProbeFindings } from "./probe.ts";

export interface CreatedLocationSettings {
  storage: Storage;
  clouds: Clouds;
  egress: EgressPolicy;
  clock: () => number;
  /** Returns the service's address: pages from it may fetch by signed addresses. */
  baseUrl: () => string;
  /** Counts for the organization; throws `rate_limited`. */
  takeProbe: (organizationId: string) => void;
  /** Reports to the operator the resources left in a cloud. */
  warn: (message: string, error: unknown) => void;
  /** Reports to the operator a created resource, before it is stored in a row. */
  note: (message: string) => void;
  times?: CreationTimes;
}

/** Times since the request arrived. */
export interface CreationTimes {
  /** Time after which no further probe begins. */
  probingMs: number;
  /** The reply waits no longer for a bucket to be removed. */
  replyMs: number;
  /** Bounds the steps of one probe. */
  stepsMs: number;
  cleanupMs: number;
  /** Pause before the second probe; doubled for each further one. */
  pauseMs: number;
}

export interface AddCreated {
  organizationId: string;
  body: CreatedLocationBody;
  by: Actor;
}

/**
 * Times for a request. Making a bucket takes at most 30 s, the last probe at most 13 s: it begins
 * before 40 s, so that the reply comes before proxies give up, which is usually after 60 s.
 */
const requestTimes: CreationTimes = {
  probingMs: 40_000,
  replyMs: 56_000,
  stepsMs: 11_000,
  cleanupMs: 2_000,
  pauseMs: 1_000,
};
const atOnceMax = 8;
/**
 * Codes with which `location.add` wrote nothing; after other errors it is unknown whether the row
 * exists.
 */
const refusals: ReadonlySet<string> = new Set([
  "conflict",
  "forbidden",
  "not_found",
  "overloaded",
  "storage_full",
  "unauthorized",
]);

/** Buckets made in connected clouds: made, probed, then saved; removed again when that fails. */
export class CreatedLocations {
  readonly #settings: CreatedLocationSettings;
  readonly #times: CreationTimes;
  readonly #slots = new FairShares(atOnceMax);

  constructor(settings: CreatedLocationSettings) {
    this.#settings = settings;
    this.#times = settings.times ?? requestTimes;
  }

  async add({ organizationId, body, by }: AddCreated): Promise<StoredLocation> {
    const startedAtMs = performance.now();
    const { storage, clouds, takeProbe } = this.#settings;
    const { cloud, access } = await this.#access(organizationId, body.connection);
    const existing = await storage.read("location.list", { organizationId });
    if (existing.length >= limits.locationsPerOrganizationMax) throw tooManyLocations();
    using slot = this.#slots.take(organizationId);
    if (slot === undefined) {
      const retry = { retryAfterSeconds: 10 };
      throw new ServiceError("rate_limited", "Too many buckets are made at this moment.", retry);
    }
    takeProbe(organizationId);
    const made = await this.#make(clouds[cloud], access, body.region);
    const creation = { cloud: clouds[cloud], access, made, startedAtMs };
    const capabilities = await this.#probe(creation);
    const { endpoint, bucket, region: signingRegion, pathStyle } = made;
    const location: CreatedLocation = {
      id: newId(this.#settings.clock()),
      organizationId,
      name: body.name ?? `${cloud}-${body.region}`,
      driver: cloud,
      cloud,
      region: body.region,
      endpoint,
      bucket,
      path: "",
      connection: access.connectionId,
      signingRegion,
      pathStyle,
      capabilities,
    };
    return await this.#save(creation, location, by);
  }

  async #access(
    organizationId: string,
    id: string,
  ): Promise<{ cloud: CloudName; access: ConnectionAccess }> {
    const found = await this.#settings.storage.read("connection.find", { organizationId, id });
    if (found === null) throw noSuchConnection();
    const { cloud, identifiers, state } = found;
    if (state !== "active" || identifiers === null) {
      throw new ServiceError(
        "conflict",
        "The connection is pending: run its setup script in the cloud, then complete it with the identifiers.",
      );
    }
    return { cloud, access: { organizationId, connectionId: id, identifiers } };
  }

  async #make(cloud: Cloud, access: ConnectionAccess, region: string): Promise<CreatedBucket> {
    const { origin } = new URL(this.#settings.baseUrl());
    try {
      const made = await cloud.createBucket(access, { region, origin });
      // A process that ends before the location is saved leaves this trace.
      const { bucket, endpoint } = made;
      const { connectionId } = access;
      this.#settings.note(`The bucket ${bucket} was made at ${endpoint} (${connectionId}).`);
      return made;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const sentence = `The cloud did not make the bucket: ${error.code}.`;
      throw new ServiceError("upstream", withAdvice(sentence, error.advice));
    }
  }

  /**
   * Probes until there is no time left: a permission just granted may not be known in all of the
   * cloud.
   */
  async #probe(creation: Creation): Promise<ProbeFindings> {
    const { egress, clock } = this.#settings;
    const { probingMs, stepsMs, cleanupMs, pauseMs } = this.#times;
    const { cloud, access, made, startedAtMs } = creation;
    await using bucket = cloud.openBucket(access, made, { deadlineMs: stepsMs });
    const times = { stepsMs, cleanupMs };
    for (let waitMs = pauseMs; ; waitMs *= 2) {
      try {
        const subject = { bucket, path: "", id: newId(clock()) };
        return await probeBucket(subject, egress.agents(), times, clock);
      } catch (error) {
        const isOver = performance.now() + waitMs - startedAtMs > probingMs;
        if (error instanceof ProbeFailed && error.code !== clocksDiffer && !isOver) {
          await pause(waitMs);
          continue;
        }
        const left = await this.#remove(creation);
        if (!(error instanceof ProbeFailed)) throw error;
        throw new ServiceError("bad_request", probeSentence(error, left));
      }
    }
  }

  async #save(creation: Creation, location: CreatedLocation, by: Actor): Promise<StoredLocation> {
    const { storage, warn } = this.#settings;
    try {
      const { identifiers } = creation.access;
      return await writeOne(storage, "location.add", { location, identifiers, by });
    } catch (error) {
      if (error instanceof ServiceError && refusals.has(error.code)) {
        const left = await this.#remove(creation);
        throw new ServiceError(error.code, withAdvice(error.message, left), error.details);
      }
      // The row may be there: a bucket kept for nothing is empty, one missed a broken location.
      const { cloud, bucket } = location;
      warn(
        `The bucket ${bucket} was made at ${cloud}, and its location was perhaps not saved.`,
        error,
      );
      throw error;
    }
  }

  /**
   * Removes a bucket; returns a sentence for the person who has to do so by hand, when that failed
   * or took too long.
   */
  async #remove({ cloud, access, made, startedAtMs }: Creation): Promise<string | undefined> {
    const name = `The bucket ${made.bucket} at ${made.endpoint}`;
    const removing = cloud.removeBucket(access, made).then(
      () => true,
      (error: unknown) => {
        this.#settings.warn(`${name} is empty, not used, and could not be removed.`, error);
        return false;
      },
    );
    const leftMs = Math.max(0, startedAtMs + this.#times.replyMs - performance.now());
    const isRemoved = await withDeadline(
      leftMs,
      () => removing,
      () => false,
    );
    return isRemoved ? undefined : `${name} is empty and perhaps still there: remove it.`;
  }
}

interface Creation {
  cloud: Cloud;
  access: ConnectionAccess;
  made: CreatedBucket;
  startedAtMs: number;
}

/** Returns step and code as for every store (A58), and advice. */
function probeSentence(failed: ProbeFailed, left: string | undefined): string {
  const { message, cause } = failed;
  if (failed.code === clocksDiffer) return withAdvice(message, left);
  const advice =
    (cause instanceof StoreError ? cause.advice : undefined) ??
    "A cloud may take minutes to apply new permissions: if the setup script has just run, try again in five minutes.";
  return withAdvice(`${message} ${advice}`, left);
}

function withAdvice(sentence: string, advice: string | undefined): string {
  return advice === undefined ? sentence : `${sentence} ${advice}`;
}
