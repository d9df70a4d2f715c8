import type { Exchange, Reply, Transport } from "./transport.ts";

/** A request of the organization, to which its credential is added. */
export type OrganizationRequest = Omit<Exchange, "credential" | "organization">;

/**
 * The service with an organization's credential. The credential is requested before every attempt:
 * an access token lives for an hour, and its provider renews it.
 */
export class OrganizationAccess {
  readonly #transport: Transport;
  readonly #credential: () => Promise<string>;
  readonly #organization: string | undefined;
  /** Whether series are asked for as columns: not after something on the way refused them. */
  asksForColumns = true;

  constructor(
    transport: Transport,
    credential: () => Promise<string>,
    organization: string | undefined,
  ) {
    this.#transport = transport;
    this.#credential = credential;
    this.#organization = organization;
  }

  async exchange(request: OrganizationRequest): Promise<Reply> {
    return this.#transport.exchange({ ...request, ...(await this.#identity()) });
  }

  async *stream(request: OrganizationRequest): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#transport.stream({ ...request, ...(await this.#identity()) });
  }

  async #identity() {
    return { credential: await this.#credential(), organization: this.#organization };
  }
}
