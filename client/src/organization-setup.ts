import type { Patience, V1Calls } from "./v1-calls.ts";
import type {
  ApiKey,
  ApiKeysReply,
  CompleteConnectionBody,
  Connection,
  CreateApiKeyReply,
  CreateConnectionBody,
  CreateLocationBody,
  Location,
  OrganizationView,
  UpdateLocationBody,
  UsageReply,
  UsageRow,
  Whoami,
} from "./wire.ts";

/**
 * What is set up in the organization. Reading works with every credential; changing needs a person with the
 * role admin or owner, and an API key gets RequestError `forbidden`.
 */
export class OrganizationSetup {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** The organization with its connections and locations. */
  view(options: { patience?: Patience; signal?: AbortSignal } = {}): Promise<OrganizationView> {
    return this.#calls.json({ method: "GET", path: "/api/v1/org", repeatable: true, ...options });
  }

  /** Whom the credential acts for. */
  whoami(options: { patience?: Patience; signal?: AbortSignal } = {}): Promise<Whoami> {
    return this.#calls.json({
      method: "GET",
      path: "/api/v1/whoami",
      repeatable: true,
      ...options,
    });
  }

  /** Bytes and counts by UTC day, newest first; `days` from 1 to 366, today among them. */
  async usage(days = 30): Promise<UsageRow[]> {
    return (await this.#read<UsageReply>("/api/v1/usage", { days: String(days) })).rows;
  }

  /**
   * Begins to connect a cloud account; `setup` is the script to run there. OutcomeUnknownError after a lost reply: look
   * at `view`.
   */
  createConnection(body: CreateConnectionBody): Promise<Connection> {
    return this.#calls.json({
      method: "POST",
      path: "/api/v1/connections",
      body: JSON.stringify(body),
      repeatable: false,
    });
  }

  /**
   * Says as whom the service acts in the cloud account. The cloud is asked: RequestError `bad_request` when it refuses,
   * with its reason, which stands in the connection's `error` too; `upstream` when it could not be asked.
   */
  completeConnection(id: string, body: CompleteConnectionBody): Promise<Connection> {
    return this.#calls.json({
      method: "PUT",
      path: "/api/v1/connections",
      query: { id },
      body: JSON.stringify(body),
      repeatable: true,
      timeoutMs: 60_000,
    });
  }

  /** RequestError `conflict` while an active location uses it. */
  async removeConnection(id: string): Promise<void> {
    await this.#calls.remove("/api/v1/connections", { id });
  }

  /** Adds a location after the service has probed it. OutcomeUnknownError after a lost reply: look at `view`. */
  addLocation(body: CreateLocationBody): Promise<Location> {
    return this.#calls.json({
      method: "POST",
      path: "/api/v1/locations",
      body: JSON.stringify(body),
      repeatable: false,
      // The probe talks to a store that may be far away, or not there.
      timeoutMs: 180_000,
    });
  }

  /** Renames or retires a location, or makes it the fallback or the default of its cloud. */
  updateLocation(id: string, change: UpdateLocationBody): Promise<Location> {
    return this.#calls.json({
      method: "PATCH",
      path: "/api/v1/locations",
      query: { id },
      body: JSON.stringify(change),
      repeatable: true,
    });
  }

  async apiKeys(): Promise<ApiKey[]> {
    return (await this.#read<ApiKeysReply>("/api/v1/api-keys")).keys;
  }

  /** The secret is in this reply only. OutcomeUnknownError after a lost one: revoke the key that nobody has. */
  createApiKey(name: string): Promise<CreateApiKeyReply> {
    return this.#calls.json({
      method: "POST",
      path: "/api/v1/api-keys",
      body: JSON.stringify({ name }),
      repeatable: false,
    });
  }

  async revokeApiKey(id: string): Promise<void> {
    await this.#calls.remove("/api/v1/api-keys", { id });
  }

  #read<T>(path: string, query: Record<string, string> = {}, signal?: AbortSignal): Promise<T> {
    return this.#calls.json({ method: "GET", path, query, repeatable: true, signal });
  }
}
