import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { ScimTokenReply, ScimView, SetSignOnBody, SignOnView } from "./wire.ts";

/**
 * Sign-in by the organization's own identity provider. Reading the settings needs a person with the
 * role admin, changing them an owner.
 */
export class SignOn {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Returns the settings without the secret, and the addresses to register at the provider. */
  read(): Promise<SignOnView> {
    return this.#calls.json(endpoints.readSignOn, {});
  }

  /**
   * Stores the settings. RequestError `upstream`: the provider's metadata was unreadable, and
   * nothing changed.
   */
  set(body: SetSignOnBody): Promise<SignOnView> {
    return this.#calls.json(endpoints.setSignOn, { body, repeatable: true });
  }

  /**
   * Removes the settings and ends every session begun with them. RequestError `not_found`: there
   * are none.
   */
  async remove(): Promise<void> {
    await this.#calls.reply(endpoints.removeSignOn, {});
  }

  /** Returns whether the provider may manage members by SCIM. */
  readScim(): Promise<ScimView> {
    return this.#calls.json(endpoints.readScim, {});
  }

  /**
   * Creates the SCIM token, which only this reply has; an earlier one ends. OutcomeUnknownError if
   * lost.
   */
  createScimToken(): Promise<ScimTokenReply> {
    return this.#calls.json(endpoints.createScimToken, {});
  }

  /** Removes the provider's data; people stay members. RequestError `not_found`: there is none. */
  async endScim(): Promise<void> {
    await this.#calls.reply(endpoints.endScim, {});
  }
}
