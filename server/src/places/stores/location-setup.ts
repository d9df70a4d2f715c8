import type { CreateLocationBody, StoreLocationBody } from "@lossless/protocol";
import type { Actor } from "../../database/audit/audit.ts";
import type { EgressPolicy } from "../../buckets/egress.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { type NewLocation, requireNewBucket } from "../rows/locations/add.ts";
import { locationSecretContext, type StoredLocation } from "../rows/locations/location.ts";
import type { Sealing } from "../../ground/sealing.ts";
import { FairShares } from "../../ground/fair-shares.ts";
import { Slots } from "../../ground/slots.ts";
import { writeOne } from "../../storage/storage.ts";
import {
  CreatedLocations,
  type CreatedLocationSettings,
  type CreationTimes,
} from "./created-locations.ts";
import type { OpenStore, StoreAccess } from "./location-buckets.ts";
import { probeBucket, ProbeFailed, type ProbeFindings, type ProbeTimes } from "./probe.ts";

/** Addition of locations, as the HTTP side sees it. */
export interface LocationSetup {
  /** `POST /locations`: probes the store, then saves. Throws ServiceError. */
  add(request: AddLocation): Promise<StoredLocation>;
}

export interface AddLocation {
  organizationId: string;
  body: CreateLocationBody;
  by: Actor;
}

/** The settings of a probe, for any caller. */
export interface ProbeSettings {
  egress: EgressPolicy;
  openStore: OpenStore;
  clock: () => number;
}

export interface LocationSetupSettings
  extends ProbeSettings, Omit<CreatedLocationSettings, "times"> {
  sealing: Sealing;
  times?: SetupTimes;
}

interface SetupTimes extends ProbeTimes {
  /** Time that a request waits for its turn. */
  turnMs: number;
}

/** Steps and cleanup together below 15 s. */
const requestTimes: SetupTimes = { turnMs: 10_000, stepsMs: 11_000, cleanupMs: 3_000 };
/** Maximum of concurrent probes; each sends some 10 MiB. */
const probesMax = 8;

export class ProbedLocationSetup implements LocationSetup {
  readonly #settings: LocationSetupSettings;
  readonly #created: CreatedLocations;
  readonly #probes = new Slots(new FairShares(probesMax));

  constructor({ times, ...settings }: LocationSetupSettings, creation?: CreationTimes) {
    this.#settings = times === undefined ? settings : { ...settings, times };
    this.#created = new CreatedLocations(
      creation === undefined ? settings : { ...settings, times: creation },
    );
  }

  async add({ organizationId, body, by }: AddLocation): Promise<StoredLocation> {
    if (body.kind === "created") return this.#created.add({ organizationId, body, by });
    const { storage, sealing, clock, egress } = this.#settings;
    const endpoint = checkedEndpoint(egress, body.endpoint);
    const { bucket, path } = body;
    const existing = await storage.read("location.list", { organizationId });
    requireNewBucket(existing, { endpoint, bucket, path });
    const capabilities = await this.#probe(organizationId, { ...body, endpoint });
    const id = newId(clock());
    const location: NewLocation = {
      ...addressOf(body),
      id,
      organizationId,
      endpoint,
      name: body.name ?? body.bucket,
      sealedSecret: sealing.seal(
        body.secretAccessKey,
        locationSecretContext({ id, organizationId }),
      ),
      capabilities,
      fallback: body.fallback ?? false,
    };
    return writeOne(storage, "location.add", { location, by });
  }

  async #probe(organizationId: string, body: StoreLocationBody): Promise<ProbeFindings> {
    this.#settings.takeProbe(organizationId);
    const { turnMs, ...times } = this.#settings.times ?? requestTimes;
    const tooMany = new ServiceError(
      "rate_limited",
      "Too many stores are probed at this moment; nothing was executed.",
      { retryAfterSeconds: 5 },
    );
    const turn = new AbortController();
    const timer = setTimeout(() => turn.abort(tooMany), turnMs);
    try {
      return await this.#probes.in(
        organizationId,
        () => probeStore(this.#settings, body, body.path, times),
        turn.signal,
      );
    } catch (error) {
      if (error instanceof ProbeFailed) throw new ServiceError("bad_request", error.message);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The endpoint as it is stored and compared; throws `bad_request` with the rule that it breaks. */
export function checkedEndpoint(egress: EgressPolicy, text: string): string {
  const verdict = egress.checkEndpoint(text);
  if ("refusal" in verdict) throw new ServiceError("bad_request", `endpoint ${verdict.refusal}`);
  return verdict.origin;
}

/** Throws ProbeFailed. */
export async function probeStore(
  { egress, openStore, clock }: ProbeSettings,
  access: StoreAccess,
  path: string,
  times: ProbeTimes,
): Promise<ProbeFindings> {
  await using bucket = openStore(access, { deadlineMs: times.stepsMs });
  return await probeBucket({ bucket, path, id: newId(clock()) }, egress.agents(), times, clock);
}

export function addressOf(body: StoreLocationBody) {
  const { bucket, path, signingRegion, pathStyle, accessKeyId, cloud, region } = body;
  return { bucket, path, signingRegion, pathStyle, accessKeyId, cloud, region };
}
