import { LosslessError, OutcomeUnknownError, RequestError } from "./errors.ts";
import type { OrganizationAccess, OrganizationRequest } from "./organization-access.ts";
import { parsedReply } from "./replies.ts";
import { isTransient, nothingRan, withRetries } from "./retry.ts";
import type { RetryPolicy } from "./retry.ts";
import type { Reply } from "./transport.ts";

export type Patience = "none" | "long";

const longPatienceMs = 900_000;

export interface V1Call extends OrganizationRequest {
  /** Parameters of the address; an undefined one is left out. */
  query?: Record<string, string | undefined>;
  /**
   * Repeating the call is harmless. Otherwise it is sent again only when it certainly changed nothing, and
   * a lost reply is an OutcomeUnknownError.
   */
  repeatable: boolean;
  /** In place of the client's policy: one attempt only, or a quarter of an hour at least. */
  patience?: Patience | undefined;
}

/** Calls of the v1 interface with their retries. */
export class V1Calls {
  readonly #access: OrganizationAccess;
  readonly #policy: RetryPolicy;

  constructor(access: OrganizationAccess, policy: RetryPolicy) {
    this.#access = access;
    this.#policy = policy;
  }

  async json<T>(call: V1Call): Promise<T> {
    return parsedReply((await this.reply(call)).text) as T;
  }

  /** DELETE, which is sent again when its reply was lost. */
  async remove(path: string, query: Record<string, string>): Promise<void> {
    const call = { method: "DELETE", path, query } as const;
    try {
      await this.reply({ ...call, repeatable: false });
      return;
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError)) throw error;
    }
    try {
      await this.reply({ ...call, repeatable: true });
    } catch (error) {
      // The first request did it, and only its reply was lost.
      if (!(error instanceof RequestError && error.code === "not_found")) throw error;
    }
  }

  async reply(call: V1Call): Promise<Reply> {
    const { query = {}, repeatable, patience, ...request } = call;
    const path = request.path + queryText(query);
    const policy = { ...this.#policy };
    if (patience === "none") policy.retryForMs = 0;
    if (patience === "long") policy.retryForMs = Math.max(policy.retryForMs, longPatienceMs);
    const mayRetry = (error: unknown): boolean =>
      isTransient(error) && (repeatable || nothingRan(error));
    try {
      const attempt = () => this.#access.exchange({ ...request, path });
      return await withRetries(policy, attempt, mayRetry, request.signal);
    } catch (error) {
      if (repeatable || !isTransient(error) || nothingRan(error)) throw error;
      const name = `${request.method} ${request.path}`;
      throw new OutcomeUnknownError(name, "the reply was lost; look whether it happened", error);
    }
  }
}

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    // Not URLSearchParams: its + for a space is not understood everywhere.
    if (value === undefined) continue;
    if (!value.isWellFormed()) throw new LosslessError(`${name} is not well-formed Unicode`);
    pairs.push(`${name}=${encodeURIComponent(value)}`);
  }
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
