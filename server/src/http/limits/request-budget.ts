import { limits } from "@lossless/protocol";
import type { Config } from "../../settings/config.ts";
import { ServiceError } from "../../ground/errors.ts";
import { FairShares, type Share } from "../../ground/fair-shares.ts";

/**
 * Budget of the bytes of request bodies in work at once (T57): bytes that have arrived, until the
 * reply is made. They are shared out between organizations, or between addresses where the caller
 * is unknown.
 */
export class RequestBudget {
  readonly maximumBytes: number;
  readonly #shares: FairShares;
  requests = 0;

  /** @param largestBytes the need of one body, which a holder without other bodies always gets */
  constructor(maximumBytes: number, largestBytes: number) {
    this.maximumBytes = Math.max(maximumBytes, largestBytes);
    this.#shares = new FairShares(maximumBytes, largestBytes);
  }

  get usedBytes(): number {
    return this.#shares.taken;
  }

  /**
   * Reserves a place for a body of which nothing has arrived: announced bytes take nothing from
   * other holders. Throws `overloaded` when as many would not fit now. Dispose it with the reply.
   */
  reserve(holder: string, announcedBytes: number): Reservation {
    const share = this.#shares.fits(holder, announcedBytes) && this.#shares.take(holder, 0);
    if (!share) throw overloaded();
    this.requests += 1;
    return new Reservation(share, () => (this.requests -= 1));
  }
}

export class Reservation implements Disposable {
  readonly #share: Share;
  readonly #onEnd: () => void;
  #isOpen = true;

  constructor(share: Share, onEnd: () => void) {
    this.#share = share;
    this.#onEnd = onEnd;
  }

  /**
   * Grows the request to this many bytes that have arrived or were unpacked. Throws `overloaded`
   * when that is too much now.
   */
  growTo(bytes: number): void {
    if (this.#isOpen && !this.#share.growTo(bytes)) throw overloaded();
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#share[Symbol.dispose]();
    this.#onEnd();
  }
}

function overloaded(): ServiceError {
  return new ServiceError("overloaded", "Too many bytes of requests are in work; try again.");
}

/** Largest bodies of credential-free endpoints that fit in work at once, of all addresses. */
const openBodiesMax = 256;

/** Makes the two budgets of a service. A body may be in memory twice, as received and unpacked. */
export function requestBudgets({
  maxQueueBytes,
  maxBodyBytes,
}: Pick<Config, "maxQueueBytes" | "maxBodyBytes">): {
  budget: RequestBudget;
  openBudget: RequestBudget;
} {
  const openBytesMax = limits.openBodyBytesMax;
  return {
    budget: new RequestBudget(maxQueueBytes, 2 * maxBodyBytes),
    openBudget: new RequestBudget(openBodiesMax * openBytesMax, openBytesMax),
  };
}
