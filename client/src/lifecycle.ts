import { RequestError } from "./errors.ts";
import type { ExperimentSession } from "./experiment-session.ts";
import { freshMessageId } from "./message-id.ts";
import { eventOutcomes, succeeded } from "./replies.ts";
import { type RetryPolicy, withRetries } from "./retry.ts";
import { settledWrite } from "./settled-write.ts";
import type { ExperimentRecord } from "./wire.ts";

interface LifecycleContext {
  session: ExperimentSession;
  policy: RetryPolicy;
  /** Reads the experiment's record. */
  read: () => Promise<ExperimentRecord>;
  /** The service's clock when the recording began: older states come from earlier recordings. */
  sinceMs: number;
  signal: AbortSignal;
}

/**
 * Sends `start`, `done` and `error` of one recording. Repeating them would change their times, so
 * after a lost reply the record is read, and the event is resent only if the record does not show
 * it.
 */
export class Lifecycle {
  readonly #context: LifecycleContext;

  constructor(context: LifecycleContext) {
    this.#context = context;
  }

  start(): Promise<void> {
    return this.#change("start", {}, (record, sinceMs) => {
      return record.status === "running" && (record.startedAtMs ?? 0) >= sinceMs;
    });
  }

  done(): Promise<void> {
    return this.#change("done", {}, (record, sinceMs) => {
      return record.status === "done" && (record.doneAtMs ?? 0) >= sinceMs;
    });
  }

  /** `error`: 1 to 8,000 characters; `meta`: at most 64 KiB of compact JSON. */
  error(error: string, meta: Record<string, unknown>): Promise<void> {
    return this.#change("error", { error, meta }, (record, sinceMs) => {
      return (
        record.status === "error" && record.error === error && (record.errorAtMs ?? 0) >= sinceMs
      );
    });
  }

  /**
   * Revokes the token, alone in its request (batching rule 5 wants it last). Resent after a lost
   * reply, because a revoked token answers 401, which confirms it.
   */
  async revokeToken(): Promise<void> {
    const { session, policy, signal } = this.#context;
    const { messageId, body } = this.#envelope("tokenRevoke", {});
    try {
      await withRetries(
        policy,
        async () => {
          const text = await session.postWithoutRenewal(body, signal);
          succeeded(eventOutcomes(text, [messageId])[0]);
        },
        undefined,
        signal,
      );
    } catch (error) {
      if (!(error instanceof RequestError && error.status === 401)) throw error;
    }
  }

  async #change(
    name: string,
    data: object,
    happened: (record: ExperimentRecord, sinceMs: number) => boolean,
  ): Promise<void> {
    const { session, policy, read, sinceMs, signal } = this.#context;
    const { messageId, body } = this.#envelope(name, data);
    await settledWrite<true>({
      event: `svc.v2.experiment.${name}`,
      policy,
      signal,
      attempt: async () => {
        const text = await session.post(body, signal);
        succeeded(eventOutcomes(text, [messageId])[0]);
        return true;
      },
      settle: async () => (happened(await read(), sinceMs) ? true : undefined),
    });
  }

  #envelope(name: string, data: object): { messageId: string; body: string } {
    const messageId = freshMessageId();
    const { experimentId } = this.#context.session;
    const event = `svc.v2.experiment.${name}`;
    const body = JSON.stringify([{ messageId, event, data: { experimentId, ...data } }]);
    return { messageId, body };
  }
}
