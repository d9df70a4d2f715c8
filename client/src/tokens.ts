import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  CreateServiceAccountBody,
  CreateTokenBody,
  CreateTokenReply,
  PersonalToken,
  ServiceAccount,
} from "./wire.ts";

/**
 * Personal tokens of a signed-in person, and service accounts. API keys and tokens cannot create
 * any: RequestError `forbidden`.
 */
export class Tokens {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Lists one's own tokens; with `all` those of every member, for a person with the role admin. */
  async list(of?: "all"): Promise<PersonalToken[]> {
    return (await this.#calls.json(endpoints.listTokens, { query: { of } })).tokens;
  }

  /**
   * Creates a token; only this reply has the secret. OutcomeUnknownError if lost: look for it in
   * the list.
   */
  create(body: CreateTokenBody): Promise<CreateTokenReply> {
    return this.#calls.json(endpoints.createToken, { body });
  }

  /** Revokes a token: every request that starts from now on is refused. */
  async revoke(id: string): Promise<void> {
    await this.#calls.remove(endpoints.revokeToken, id);
  }

  /** Creates a service account. It needs a person with the role admin. */
  createServiceAccount(body: CreateServiceAccountBody): Promise<ServiceAccount> {
    return this.#calls.json(endpoints.createServiceAccount, { body });
  }
}
