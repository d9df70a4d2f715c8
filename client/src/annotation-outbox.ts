import { EventError, LosslessError, RequestError } from "./errors.ts";
import type { ExperimentSession } from "./experiment-session.ts";
import { isEqual } from "./json-equality.ts";
import { freshMessageId } from "./message-id.ts";
import { eventOutcomes, succeeded } from "./replies.ts";
import type { RetryPolicy } from "./retry.ts";
import { settledWrite } from "./settled-write.ts";
import type { AnnotatedData, Annotation, AnnotationsResultData } from "./wire.ts";

type Added = Omit<AnnotatedData, "experimentId">;

interface Waiting {
  annotation: string;
  meta: Record<string, unknown>;
  resolve: (added: Added) => void;
  reject: (error: unknown) => void;
}

/**
 * Annotations of one request: keeps a body well under the limit with the longest texts and metas.
 */
const annotationsPerRequest = 100;
/**
 * Milliseconds by which the service's clock may seem to lag behind its Date header (whole seconds).
 */
const clockSlackMs = 5_000;

/**
 * Sends annotations in order, one request at a time. The service adds an annotation for each event,
 * so after a lost reply the outbox reads the annotations back and sends only the missing ones.
 */
export class AnnotationOutbox {
  readonly #session: ExperimentSession;
  readonly #policy: RetryPolicy;
  readonly #read: (signal: AbortSignal) => Promise<AnnotationsResultData>;
  readonly #signal: AbortSignal;
  readonly #waiting: Waiting[] = [];
  readonly #ownIds = new Set<string>();
  #sending: Promise<void> | undefined;

  constructor(
    session: ExperimentSession,
    policy: RetryPolicy,
    read: (signal: AbortSignal) => Promise<AnnotationsResultData>,
    signal: AbortSignal,
  ) {
    this.#session = session;
    this.#policy = policy;
    this.#read = read;
    this.#signal = signal;
  }

  /** Resolves once the annotation is stored. Rejects with EventError, OutcomeUnknownError etc. */
  add(annotation: string, meta: Record<string, unknown>): Promise<Added> {
    const added = new Promise<Added>((resolve, reject) => {
      // Copied, so that the caller may change the object while the annotation waits.
      const copy = JSON.parse(JSON.stringify(meta)) as Record<string, unknown>;
      this.#waiting.push({ annotation, meta: copy, resolve, reject });
    });
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
    return added;
  }

  /** Resolves when nothing waits; failures reject the calls of `add`. */
  async idle(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#sendGroup(this.#waiting.splice(0, annotationsPerRequest));
    }
  }

  async #sendGroup(group: Waiting[]): Promise<void> {
    try {
      await this.#send(group);
    } catch (error) {
      // A request refused as a whole is sent one annotation at a time, to save the valid ones.
      const refused = error instanceof RequestError && [400, 413, 422].includes(error.status);
      if (!refused || group.length === 1) return group.forEach((item) => item.reject(error));
      for (const item of group) await this.#sendGroup([item]);
    }
  }

  async #send(group: Waiting[]): Promise<void> {
    const startedAtMs = this.#session.serverTimeMs() - clockSlackMs;
    const open = new Set(group);
    await settledWrite<true>({
      event: "svc.v2.experiment.annotate",
      policy: this.#policy,
      signal: this.#signal,
      attempt: async () => {
        const failure = await this.#attempt([...open], open);
        if (failure !== undefined) throw failure;
        return true;
      },
      settle: async () => {
        const { annotations, truncated } = await this.#read(this.#signal);
        if (truncated && (annotations.at(-1)?.createdAtMs ?? Infinity) >= startedAtMs) {
          throw new LosslessError("there are too many annotations to find it among them");
        }
        this.#strikeStored(open, annotations, startedAtMs);
        return open.size === 0 ? true : undefined;
      },
    });
  }

  async #attempt(items: Waiting[], open: Set<Waiting>): Promise<EventError | undefined> {
    const { experimentId } = this.#session;
    const envelopes = items.map(({ annotation, meta }) => ({
      messageId: freshMessageId(),
      event: "svc.v2.experiment.annotate",
      data: { experimentId, annotation, meta },
    }));
    const text = await this.#session.post(JSON.stringify(envelopes), this.#signal);
    const messageIds = envelopes.map((envelope) => envelope.messageId);
    const outcomes = eventOutcomes(text, messageIds);
    let again: EventError | undefined;
    items.forEach((item, index) => {
      const outcome = outcomes[index];
      if (outcome instanceof EventError && outcome.retryable) {
        again = outcome;
        return;
      }
      open.delete(item);
      if (outcome instanceof EventError) item.reject(outcome);
      else this.#added(item, succeeded<AnnotatedData>(outcome));
    });
    return again;
  }

  #added(item: Waiting, { annotationId, createdAtMs }: Added): void {
    this.#ownIds.add(annotationId);
    item.resolve({ annotationId, createdAtMs });
  }

  /**
   * Removes the stored annotations from `open`: each matches one waiting annotation of equal text
   * and meta, newest first.
   */
  #strikeStored(open: Set<Waiting>, stored: Annotation[], sinceMs: number): void {
    const candidates = stored.filter(
      ({ annotationId, createdAtMs }) => createdAtMs >= sinceMs && !this.#ownIds.has(annotationId),
    );
    for (const item of [...open].reverse()) {
      const index = candidates.findIndex(
        (candidate) =>
          candidate.annotation === item.annotation && isEqual(candidate.meta, item.meta),
      );
      if (index < 0) continue;
      const [found] = candidates.splice(index, 1);
      open.delete(item);
      this.#added(item, found);
    }
  }
}
