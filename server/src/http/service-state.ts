import type { IdentityProviders } from "../accounts/openid/identity-providers.ts";
import type { Issuer } from "../places/issuer/issuer.ts";
import { ServiceError } from "../ground/errors.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import type { Storage } from "../storage/storage.ts";
import type { ArtifactServices } from "../artifacts/versions/artifact-services.ts";
import { ColumnReader } from "../wire/column-reader.ts";
import { MetricReader } from "../wire/metric-reader.ts";
import { MetricReplies } from "../wire/metric-replies.ts";

export type PublishedIssuer = Pick<Issuer, "documents">;

/**
 * The opened storage, the services above it, and those that need the hash seed of this
 * installation.
 */
export interface OpenService extends ArtifactServices {
  issuer: PublishedIssuer;
  identityProviders: IdentityProviders;
  storage: Storage;
  hasher: IdentifierHasher;
  metricReader: MetricReader;
  columnReader: ColumnReader;
  metricReplies: MetricReplies;
}

/**
 * The life of the service as the HTTP side sees it:
 *
 *   starting   listening, storage not open yet: everything but the health pages answers 503
 *   ok         serving
 *   draining   serving, but readyz says 503 and every reply closes its connection
 *   stopping   requests in flight are finished, streams end with an error record, new ones get 503
 */
export class ServiceState {
  status: "starting" | "ok" | "draining" | "stopping" = "starting";
  readonly #streamsEnd = new AbortController();
  #served: OpenService | undefined;

  /** Signal that aborts when open streams have to end. */
  get streamsEnd(): AbortSignal {
    return this.#streamsEnd.signal;
  }

  serve(
    storage: Storage,
    hashSeed: Uint32Array,
    services: ArtifactServices,
    issuer: PublishedIssuer,
    identityProviders: IdentityProviders,
  ): void {
    const hasher = new IdentifierHasher(hashSeed);
    const main = { issuer, identityProviders, storage };
    const metricReader = new MetricReader(hasher);
    const metrics = { metricReader, metricReplies: new MetricReplies() };
    const columnReader = new ColumnReader(hasher);
    this.#served = { ...services, ...main, hasher, ...metrics, columnReader };
    this.status = "ok";
  }

  drain(): void {
    this.status = "draining";
  }

  stop(): void {
    this.status = "stopping";
    this.#streamsEnd.abort();
  }

  /**
   * Returns the storage for a request that may run now; throws while the service starts or stops.
   */
  served(): OpenService {
    if (this.status === "stopping") {
      throw new ServiceError("shutting_down", "The service is shutting down.");
    }
    if (this.#served === undefined) {
      throw new ServiceError("storage_unavailable", "The service is starting.");
    }
    return this.#served;
  }
}
