import type { Method } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { LosslessError, OutcomeUnknownError, RequestError } from "./errors.ts";
import { isTransient } from "./retry.ts";
import type { Transport } from "./transport.ts";

/** Reply of `experiment.open` or `experiment.tokenRefresh`, with the service's clock on arrival. */
export interface TokenGrant {
  experimentId: string;
  /** `ik_` credential, valid for the experiment endpoint of this experiment only. */
  experimentToken: string;
  /** Unix milliseconds of the service's clock; 24 hours after issue. */
  expiresAtMs: number;
  serverTimeMs: number;
  /** Versions of columns that the service reads (extension); none where it said nothing. */
  columnVersions: readonly number[];
}

export interface TokenSource {
  refresh(experimentToken: string, signal?: AbortSignal): Promise<TokenGrant>;
  /** Opens the slug again with the same description and meta. */
  reopen(signal?: AbortSignal): Promise<TokenGrant>;
}

const refreshAgainAfterMs = 5_000;

/**
 * The experiment endpoint and its token. A token lives 24 hours: it is refreshed with the first
 * request after half of its life, and when it has expired or was revoked (401) the slug is opened
 * again. Times are measured on this machine's monotonic clock from the service's own clock, so a
 * wrong local clock does no harm.
 */
export class ExperimentSession {
  readonly experimentId: string;
  readonly #transport: Transport;
  readonly #source: TokenSource;
  readonly #events: { method: Method; path: string };
  #token = "";
  #refreshAt = 0;
  #grantedAt = 0;
  #serverTimeMsAtGrant = 0;
  #changing: Promise<void> | undefined;
  /** Versions of columns that the service reads. */
  columnVersions: readonly number[] = [];

  constructor(transport: Transport, source: TokenSource, grant: TokenGrant) {
    this.#transport = transport;
    this.#source = source;
    this.experimentId = grant.experimentId;
    this.#events = endpoints.experimentEvents(this.experimentId);
    this.#accept(grant);
  }

  /** The service's current time, Unix milliseconds, accurate to about a second. */
  serverTimeMs(): number {
    return this.#serverTimeMsAtGrant + (performance.now() - this.#grantedAt);
  }

  /**
   * Sends one request once, events unless another endpoint of the experiment is given; after a 401
   * it opens the slug again and repeats the request, which is safe for every event: a refused
   * request ran nothing. Returns the text of the reply.
   */
  async post(
    body: string | Uint8Array<ArrayBuffer>,
    signal?: AbortSignal,
    endpoint = this.#events,
  ): Promise<string> {
    if (performance.now() >= this.#refreshAt) await this.#alone(() => this.#refresh(signal));
    const token = this.#token;
    try {
      return await this.#postWith(token, body, signal, endpoint);
    } catch (error) {
      if (!(error instanceof RequestError && error.status === 401)) throw error;
      await this.#alone(async () => {
        if (token === this.#token) this.#accept(await this.#reopen(signal));
      });
      return this.#postWith(this.#token, body, signal, endpoint);
    }
  }

  /** Sends one request once with the token as it is: neither refreshed nor reopened. */
  postWithoutRenewal(body: string, signal?: AbortSignal): Promise<string> {
    return this.#postWith(this.#token, body, signal);
  }

  async #postWith(
    credential: string,
    body: string | Uint8Array<ArrayBuffer>,
    signal?: AbortSignal,
    endpoint = this.#events,
  ): Promise<string> {
    const request = { ...endpoint, credential, body, mayBeGzip: true, signal };
    return (await this.#transport.exchange(request)).text;
  }

  /**
   * Refreshes the token. Failures are harmless while it lives: a later request tries again, or a
   * 401 reopens the slug.
   */
  async #refresh(signal?: AbortSignal): Promise<void> {
    if (performance.now() < this.#refreshAt) return;
    try {
      this.#accept(await this.#source.refresh(this.#token, signal));
    } catch (error) {
      if (isTransient(error)) this.#refreshAt = performance.now() + refreshAgainAfterMs;
      else this.#accept(await this.#reopen(signal));
    }
  }

  /**
   * Opens the slug again. Running out of its own time counts as a connection failure, so the
   * recording waits on by its policy. An opening of the slug by another client with other content
   * stays fatal.
   */
  async #reopen(signal?: AbortSignal): Promise<TokenGrant> {
    try {
      return await this.#source.reopen(signal);
    } catch (error) {
      throw error instanceof OutcomeUnknownError && isTransient(error.cause) ? error.cause : error;
    }
  }

  #accept(grant: TokenGrant): void {
    if (grant.experimentId !== this.experimentId) {
      throw new LosslessError(
        `the slug was ${this.experimentId} and is ${grant.experimentId} now: not the same experiment`,
      );
    }
    this.#token = grant.experimentToken;
    this.columnVersions = grant.columnVersions;
    this.#grantedAt = performance.now();
    this.#serverTimeMsAtGrant = grant.serverTimeMs;
    this.#refreshAt = this.#grantedAt + (grant.expiresAtMs - grant.serverTimeMs) / 2;
  }

  /** Runs token changes one at a time: otherwise every waiting request would fetch a token. */
  async #alone(change: () => Promise<void>): Promise<void> {
    const previous = this.#changing ?? Promise.resolve();
    const current = previous.catch(() => undefined).then(change);
    this.#changing = current;
    try {
      await current;
    } finally {
      if (this.#changing === current) this.#changing = undefined;
    }
  }
}
