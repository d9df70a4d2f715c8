import { endpoints } from "./endpoints.ts";
import { freshMessageId } from "./message-id.ts";
import type { OrganizationAccess } from "./organization-access.ts";
import { type EventOutcome, eventOutcomes, succeeded } from "./replies.ts";
import { type RetryPolicy, withRetries } from "./retry.ts";
import type { Reply } from "./transport.ts";
import type { EventName, Events } from "./wire.ts";

/** An event without its messageId; each attempt adds a fresh one. */
export type OrganizationEvent = {
  [Name in EventName]: { event: Name; data: Events[Name]["data"] };
}[EventName];

export type ReplyDataOf<Name extends EventName> = Events[Name]["reply"]["data"];

/** Outcomes in the order of the events, and what the reply says of the service. */
export interface AttemptedEvents extends Pick<Reply, "serverTimeMs" | "columnVersions"> {
  outcomes: EventOutcome[];
}

/** `POST /api/v2/events` for the organization. */
export class OrganizationEvents {
  readonly #access: OrganizationAccess;
  readonly #policy: RetryPolicy;

  constructor(access: OrganizationAccess, policy: RetryPolicy) {
    this.#access = access;
    this.#policy = policy;
  }

  /**
   * Sends one read event alone (rule 7 requires that of two). Reads change nothing, so they are
   * retried.
   */
  async read<Name extends EventName>(
    event: Name,
    data: Events[Name]["data"],
    signal?: AbortSignal,
  ): Promise<ReplyDataOf<Name>> {
    const attempt = () => this.single(event, data, signal);
    return withRetries(this.#policy, attempt, undefined, signal);
  }

  /** Sends one event once. Throws EventError when it failed. */
  async single<Name extends EventName>(
    event: Name,
    data: Events[Name]["data"],
    signal?: AbortSignal,
  ): Promise<ReplyDataOf<Name>> {
    const { outcomes } = await this.attempt([{ event, data } as OrganizationEvent], signal);
    return succeeded<ReplyDataOf<Name>>(outcomes[0]);
  }

  /** Sends one request once. Events run in order and are not a transaction (rule 3). */
  async attempt(
    events: readonly OrganizationEvent[],
    signal?: AbortSignal,
  ): Promise<AttemptedEvents> {
    const envelopes = events.map((event) => ({ messageId: freshMessageId(), ...event }));
    const { text, serverTimeMs, columnVersions } = await this.#access.exchange({
      ...endpoints.organizationEvents,
      body: JSON.stringify(envelopes),
      signal,
    });
    const messageIds = envelopes.map((envelope) => envelope.messageId);
    return { outcomes: eventOutcomes(text, messageIds), serverTimeMs, columnVersions };
  }
}
