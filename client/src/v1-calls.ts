import type { Endpoint } from "./endpoint.ts";
import { LosslessError, OutcomeUnknownError, RequestError } from "./errors.ts";
import type { OrganizationAccess } from "./organization-access.ts";
import { parsedReply } from "./replies.ts";
import { isTransient, nothingRan, type RetryPolicy, withRetries } from "./retry.ts";
import type { Reply } from "./transport.ts";

export type Patience = "none" | "long";

const longPatienceMs = 900_000;

/**
 * The query and body of an endpoint, and options of the call. Undefined query parameters are left
 * out.
 */
export type V1Call<Query, Body> = CallOptions & Given<"query", Query> & Given<"body", Body>;

type Given<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : { [Each in Name]: Value };

interface CallOptions {
  /**
   * Repeating the call is harmless, as it is of every GET. Otherwise it is resent only when it
   * certainly changed nothing, and a lost reply is an OutcomeUnknownError.
   */
  repeatable?: boolean | undefined;
  /** Replaces the client's policy: one attempt only, or at least a quarter of an hour. */
  patience?: Patience | undefined;
  /** Replaces the transport's timeout, for slow requests. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Calls of the v1 interface with their retries. */
export class V1Calls {
  readonly #access: OrganizationAccess;
  readonly #policy: RetryPolicy;

  constructor(access: OrganizationAccess, policy: RetryPolicy) {
    this.#access = access;
    this.#policy = policy;
  }

  async json<Query, Body, Value>(
    endpoint: Endpoint<Query, Body, Value>,
    call: V1Call<Query, Body>,
  ): Promise<Value> {
    return (await this.timed(endpoint, call)).value;
  }

  /** The same with the service's clock at the reply. */
  async timed<Query, Body, Value>(
    endpoint: Endpoint<Query, Body, Value>,
    call: V1Call<Query, Body>,
  ): Promise<{ value: Value; serverTimeMs: number }> {
    const { text, serverTimeMs } = await this.reply(endpoint, call);
    return { value: parsedReply(text) as Value, serverTimeMs };
  }

  /** Removes what the id names, and repeats the call when the reply was lost. */
  async remove(
    endpoint: Endpoint<{ id: string }, undefined, undefined>,
    id: string,
  ): Promise<void> {
    const query = { id };
    try {
      await this.reply(endpoint, { query, repeatable: false });
      return;
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError)) throw error;
    }
    try {
      await this.reply(endpoint, { query, repeatable: true });
    } catch (error) {
      // The first attempt succeeded, and only its reply was lost.
      if (!(error instanceof RequestError && error.code === "not_found")) throw error;
    }
  }

  async reply<Query, Body>(
    { method, path: address }: Endpoint<Query, Body, unknown>,
    call: V1Call<Query, Body>,
  ): Promise<Reply> {
    const { query = {}, body, repeatable = method === "GET", patience, ...options }: AnyCall = call;
    const sent = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
    const request = { method, path: address + queryText(query), body: sent, ...options };
    const policy = { ...this.#policy };
    if (patience === "none") policy.retryForMs = 0;
    if (patience === "long") policy.retryForMs = Math.max(policy.retryForMs, longPatienceMs);
    const mayRetry = (error: unknown): boolean =>
      isTransient(error) && (repeatable || nothingRan(error));
    try {
      const attempt = () => this.#access.exchange(request);
      return await withRetries(policy, attempt, mayRetry, options.signal);
    } catch (error) {
      if (repeatable || !isTransient(error) || nothingRan(error)) throw error;
      const name = `${method} ${address}`;
      throw new OutcomeUnknownError(name, "the reply was lost; check whether it happened", error);
    }
  }
}

interface AnyCall extends CallOptions {
  query?: Readonly<Record<string, string | undefined>>;
  body?: Uint8Array<ArrayBuffer> | object;
}

export function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    // Not URLSearchParams, whose + for a space is not understood everywhere.
    if (value === undefined) continue;
    if (!value.isWellFormed()) throw new LosslessError(`${name} is not well-formed Unicode`);
    pairs.push(`${name}=${encodeURIComponent(value)}`);
  }
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
