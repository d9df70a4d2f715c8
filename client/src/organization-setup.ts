import { endpoints } from "./endpoints.ts";
import type { Patience, V1Calls } from "./v1-calls.ts";
import type {
  ApiKey,
  CompleteConnectionBody,
  Connection,
  CreateApiKeyReply,
  CreateConnectionBody,
  CreateLocationBody,
  Location,
  OrganizationView,
  UpdateLocationBody,
  UsageRow,
  Whoami,
} from "./wire.ts";

/**
 * The setup of the organization. Any credential can read it; changes need a person with the role
 * admin or owner, and an API key gets RequestError `forbidden`.
 */
export class OrganizationSetup {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Returns the organization with its connections and locations. */
  view(options: { patience?: Patience; signal?: AbortSignal } = {}): Promise<OrganizationView> {
    return this.#calls.json(endpoints.readOrganization, { ...options });
  }

  /** Returns the owner of the credential. */
  whoami(options: { patience?: Patience; signal?: AbortSignal } = {}): Promise<Whoami> {
    return this.#calls.json(endpoints.whoami, { ...options });
  }

  /** Returns bytes and counts by UTC day, newest first; `days` from 1 to 366, including today. */
  async usage(days = 30): Promise<UsageRow[]> {
    return (await this.#calls.json(endpoints.readUsage, { query: { days: String(days) } })).rows;
  }

  /**
   * Begins to connect a cloud account; `setup` is the script to run there. OutcomeUnknownError
   * after a lost reply: check `view`.
   */
  createConnection(body: CreateConnectionBody): Promise<Connection> {
    return this.#calls.json(endpoints.createConnection, { body });
  }

  /**
   * Sets the identity of the service in the cloud account, and asks the cloud. RequestError
   * `bad_request` when it refuses, with its reason, which is kept in the connection's `error` too;
   * `upstream` when it could not be asked.
   */
  completeConnection(id: string, body: CompleteConnectionBody): Promise<Connection> {
    return this.#calls.json(endpoints.completeConnection, {
      query: { id },
      body,
      repeatable: true,
      timeoutMs: 60_000,
    });
  }

  /** Removes a connection. RequestError `conflict` while an active location uses it. */
  async removeConnection(id: string): Promise<void> {
    await this.#calls.remove(endpoints.deleteConnection, id);
  }

  /** Adds a location after a probe by the service. OutcomeUnknownError: check `view`. */
  addLocation(body: CreateLocationBody): Promise<Location> {
    return this.#calls.json(endpoints.createLocation, {
      body,
      // The probe talks to a store that may be far away or unreachable.
      timeoutMs: 180_000,
    });
  }

  /** Renames or retires a location, or makes it the fallback or the default of its cloud. */
  updateLocation(id: string, change: UpdateLocationBody): Promise<Location> {
    const call = { query: { id }, body: change, repeatable: true };
    return this.#calls.json(endpoints.updateLocation, call);
  }

  async apiKeys(): Promise<ApiKey[]> {
    return (await this.#calls.json(endpoints.listApiKeys, {})).keys;
  }

  /**
   * Creates an API key; only this reply has the secret. OutcomeUnknownError if lost: revoke the
   * key.
   */
  createApiKey(name: string): Promise<CreateApiKeyReply> {
    return this.#calls.json(endpoints.createApiKey, { body: { name } });
  }

  async revokeApiKey(id: string): Promise<void> {
    await this.#calls.remove(endpoints.revokeApiKey, id);
  }
}
