import { ServiceError } from "../errors.ts";
import type { IdentifierHasher } from "../points/identifiers/hash.ts";
import type { Storage } from "../storage/storage.ts";

/** The opened storage, and the hasher with the seed of this installation. */
export interface ServedStorage {
  storage: Storage;
  hasher: IdentifierHasher;
}

/**
 * The life of the service as the HTTP side sees it:
 *
 *   starting   listening, storage not open yet: everything but the health pages answers 503
 *   ok         serving
 *   draining   serving, but readyz says 503 and every reply closes its connection
 *   stopping   requests in flight are finished, streams end with an error record, new requests get 503
 */
export class ServiceState {
  status: "starting" | "ok" | "draining" | "stopping" = "starting";
  readonly #streamsEnd = new AbortController();
  #served: ServedStorage | undefined;

  /** Aborts when open streams have to end. */
  get streamsEnd(): AbortSignal {
    return this.#streamsEnd.signal;
  }

  serve(served: ServedStorage): void {
    this.#served = served;
    this.status = "ok";
  }

  drain(): void {
    this.status = "draining";
  }

  stop(): void {
    this.status = "stopping";
    this.#streamsEnd.abort();
  }

  /** The storage, for a request that may run now; throws when the service starts or stops. */
  served(): ServedStorage {
    if (this.status === "stopping") {
      throw new ServiceError("shutting_down", "The service is shutting down.");
    }
    if (this.#served === undefined) {
      throw new ServiceError("storage_unavailable", "The service is starting.");
    }
    return this.#served;
  }
}
