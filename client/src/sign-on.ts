import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { ScimTokenReply, ScimView, SetSignOnBody, SignOnView } from "./wire.ts";

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

  /** Whether the provider may say by SCIM who belongs to the organization. */
  readScim(): Promise<ScimView> {
    return this.#calls.json(endpoints.readScim, { repeatable: true });
  }

  /** Only this reply has the token; one that there was ends. OutcomeUnknownError if lost. */
  createScimToken(): Promise<ScimTokenReply> {
    return this.#calls.json(endpoints.createScimToken, { repeatable: false });
  }

  /** Forgets what the provider has sent; people stay members. RequestError `not_found`: nothing. */
  async endScim(): Promise<void> {
    await this.#calls.reply(endpoints.endScim, { repeatable: false });
  }
}
