import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { SetSignOnBody, SignOnView } from "./wire.ts";

/**
 * How the organization's people sign in by its own identity provider. Reading it needs a person
 * with the role admin, setting it an owner.
 */
export class SignOn {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** The settings without the secret, and the addresses to register at the provider. */
  read(): Promise<SignOnView> {
    return this.#calls.json(endpoints.readSignOn, { repeatable: true });
  }

  /** RequestError `upstream`: the provider's metadata could not be read, and nothing is changed. */
  set(body: SetSignOnBody): Promise<SignOnView> {
    return this.#calls.json(endpoints.setSignOn, { body, repeatable: true });
  }

  /** Ends every session that began with it. RequestError `not_found`: there is none. */
  async remove(): Promise<void> {
    await this.#calls.reply(endpoints.removeSignOn, { repeatable: false });
  }
}
