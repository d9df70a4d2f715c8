import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  CreateGuestLinkBody,
  CreateGuestLinkReply,
  GuestLinksReply,
  GuestSettings,
} from "./wire.ts";

/**
 * Guest links: addresses by which people without an account read some experiments, for a time. They
 * need a person; API keys and viewers get RequestError `forbidden`.
 */
export class Guests {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Lists the organization's valid links, and whether members may make some. */
  list(): Promise<GuestLinksReply> {
    return this.#calls.json(endpoints.listGuestLinks, {});
  }

  /**
   * Makes a link; only this reply has its address. OutcomeUnknownError if lost: look for it in the
   * list.
   */
  create(body: CreateGuestLinkBody): Promise<CreateGuestLinkReply> {
    return this.#calls.json(endpoints.createGuestLink, { body });
  }

  /** Revokes a link: every request that starts from now on is refused. */
  async revoke(id: string): Promise<void> {
    await this.#calls.remove(endpoints.revokeGuestLink, id);
  }

  /** Sets whether members may make links. It needs a person with the role admin. */
  set(settings: GuestSettings): Promise<GuestSettings> {
    return this.#calls.json(endpoints.setGuestSettings, { body: settings, repeatable: true });
  }
}
