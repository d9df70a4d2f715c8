import { endpoints } from "./endpoints.ts";
import { freshMessageId } from "./message-id.ts";
import type { OrganizationAccess } from "./organization-access.ts";
import { type EventOutcome, eventOutcomes, succeeded } from "./replies.ts";
import { type RetryPolicy, withRetries } from "./retry.ts";
import type { EventName, Events } from "./wire.ts";

/** An event without its messageId; each attempt gives it a fresh one. */
export type OrganizationEvent = {
  [Name in EventName]: { event: Name; data: Events[Name]["data"] };
}[EventName];

export type ReplyDataOf<Name extends EventName> = Events[Name]["reply"]["data"];

/** `POST /api/v2/events` for the organization. */
export class OrganizationEvents {
  readonly #access: OrganizationAccess;
  readonly #policy: RetryPolicy;

  constructor(access: OrganizationAccess, policy: RetryPolicy) {
    this.#access = access;
    this.#policy = policy;
  }

  /** One read event, sent alone (rule 7 asks it of two). Reads change nothing: they are retried. */
  async read<Name extends EventName>(
    event: Name,
    data: Events[Name]["data"],
    signal?: AbortSignal,
  ): Promise<ReplyDataOf<Name>> {
    const attempt = () => this.single(event, data, signal);
    return withRetries(this.#policy, attempt, undefined, signal);
  }

  /** One event, one attempt. Throws EventError when the event failed. */
  async single<Name extends EventName>(
    event: Name,
    data: Events[Name]["data"],
    signal?: AbortSignal,
  ): Promise<ReplyDataOf<Name>> {
    const { outcomes } = await this.attempt([{ event, data } as OrganizationEvent], signal);
    return succeeded<ReplyDataOf<Name>>(outcomes[0]);
  }

  /** One attempt of one request. Events run in order and are not a transaction (rule 3). */
  async attempt(
    events: readonly OrganizationEvent[],
    signal?: AbortSignal,
  ): Promise<{ outcomes: EventOutcome[]; serverTimeMs: number }> {
    const envelopes = events.map((event) => ({ messageId: freshMessageId(), ...event }));
    const { text, serverTimeMs } = await this.#access.exchange({
      ...endpoints.organizationEvents,
      body: JSON.stringify(envelopes),
      signal,
    });
    const messageIds = envelopes.map((envelope) => envelope.messageId);
    return { outcomes: eventOutcomes(text, messageIds), serverTimeMs };
  }
}
