import { scanAcknowledgements } from "./acknowledgements.ts";
import { ColumnDelivery, type ColumnsOutcome } from "./column-delivery.ts";
import { EventError, type LosslessError, RequestError } from "./errors.ts";
import type { ExperimentSession } from "./experiment-session.ts";
import { metricEvent, type Point } from "./point.ts";
import { type EventOutcome, eventOutcomes } from "./replies.ts";
import { isTransient, type RetryPolicy, withRetries } from "./retry.ts";
import { limits } from "./wire.ts";

/** Receives the outcome of each point exactly once. */
export interface DeliveryReceiver {
  /** Tells of acknowledged points; `deduplicated` of them were stored before. */
  acknowledged(points: number, deduplicated: number): void;
  rejected(point: Point, error: EventError | RequestError): void;
}

/**
 * Delivers one batch of points. Metrics are deduplicated by `messageId`, so they are the only
 * writes that are resent without checking, always with their original ids; after a partly failed
 * batch only the failed metrics are resent (retry guidance of the specification).
 */
export class BatchDelivery {
  readonly #session: ExperimentSession;
  readonly #policy: RetryPolicy;
  readonly #receiver: DeliveryReceiver;
  readonly #onRetry: (error: LosslessError) => void;
  readonly #experimentIdJson: string;
  readonly #columns: ColumnDelivery;

  constructor(
    session: ExperimentSession,
    policy: RetryPolicy,
    receiver: DeliveryReceiver,
    onRetry: (error: LosslessError) => void,
  ) {
    this.#session = session;
    this.#policy = policy;
    this.#receiver = receiver;
    this.#onRetry = onRetry;
    this.#experimentIdJson = JSON.stringify(session.experimentId);
    this.#columns = new ColumnDelivery(session);
  }

  /** Whether points go as columns, of which one request takes more. */
  get usesColumns(): boolean {
    return this.#columns.isUsed;
  }

  /**
   * Resolves when every point is acknowledged or rejected. Rejects if the recording cannot
   * continue.
   */
  async deliver(points: Point[], signal: AbortSignal): Promise<void> {
    const open = new Set(points);
    const attempt = async (): Promise<void> => {
      const error = await this.#attempt([...open], open, signal);
      if (error !== undefined) throw error;
    };
    let left = open.size;
    const mayRetry = (error: unknown): boolean | "anew" => {
      if (!isTransient(error) || signal.aborted) return false;
      this.#onRetry(error as LosslessError);
      // As events a batch is several requests, any of which may fail.
      const isFurther = open.size < left;
      left = open.size;
      return isFurther ? "anew" : true;
    };
    await withRetries(this.#policy, attempt, mayRetry, signal);
  }

  /**
   * Sends the points once and removes settled ones from `open`; returns the error of one to resend.
   */
  async #attempt(
    points: Point[],
    open: Set<Point>,
    signal: AbortSignal,
  ): Promise<EventError | undefined> {
    const sent = await this.#columns.send(points, signal);
    if (typeof sent !== "number") return this.#settleColumns(points, open, sent);
    let again: EventError | undefined;
    for (let at = 0; at < points.length; at += limits.eventsPerRequestMax) {
      const some = points.slice(at, at + limits.eventsPerRequestMax);
      again = (await this.#attemptEvents(some, open, signal)) ?? again;
    }
    this.#columns.answeredAsEvents(sent);
    return again;
  }

  #settleColumns(
    points: Point[],
    open: Set<Point>,
    { deduplicated, refused }: ColumnsOutcome,
  ): EventError | undefined {
    let again: EventError | undefined;
    points.forEach((point, index) => {
      const error = refused.get(index);
      if (error?.retryable) {
        again = error;
        return;
      }
      open.delete(point);
      if (error !== undefined) this.#receiver.rejected(point, error);
    });
    this.#receiver.acknowledged(points.length - refused.size, deduplicated);
    return again;
  }

  async #attemptEvents(
    points: Point[],
    open: Set<Point>,
    signal: AbortSignal,
  ): Promise<EventError | undefined> {
    let text: string;
    try {
      const events = points.map((point) => metricEvent(this.#experimentIdJson, point));
      text = await this.#session.post(`[${events.join(",")}]`, signal);
    } catch (error) {
      if (!isAboutContent(error)) throw error;
      return this.#divide(points, open, error, signal);
    }
    const messageIds = points.map((point) => point.messageId);
    const duplicates = scanAcknowledgements(text, messageIds);
    if (duplicates === undefined) {
      return this.#settleEach(points, open, eventOutcomes(text, messageIds));
    }
    for (const point of points) open.delete(point);
    this.#receiver.acknowledged(points.length, duplicates.size);
    return undefined;
  }

  #settleEach(points: Point[], open: Set<Point>, outcomes: EventOutcome[]): EventError | undefined {
    let again: EventError | undefined;
    points.forEach((point, index) => {
      const outcome = outcomes[index];
      if (outcome instanceof EventError && outcome.retryable) {
        again = outcome;
        return;
      }
      open.delete(point);
      if (outcome instanceof EventError) this.#receiver.rejected(point, outcome);
      else this.#receiver.acknowledged(1, outcome["deduplicated"] === true ? 1 : 0);
    });
    return again;
  }

  /**
   * Splits a batch that the service refused as a whole: too large, or with an event that it takes
   * for malformed (by a newer rule than this client knows), or with one id twice. Halves are sent
   * until the point is isolated, so that it cannot fail the others.
   */
  async #divide(
    points: Point[],
    open: Set<Point>,
    error: RequestError,
    signal: AbortSignal,
  ): Promise<EventError | undefined> {
    if (points.length === 1) {
      const point = points[0];
      open.delete(point);
      this.#receiver.rejected(point, error);
      return undefined;
    }
    const middle = points.length >> 1;
    const first = await this.#attemptEvents(points.slice(0, middle), open, signal);
    const second = await this.#attemptEvents(points.slice(middle), open, signal);
    return first ?? second;
  }
}

function isAboutContent(error: unknown): error is RequestError {
  return error instanceof RequestError && [400, 413, 422].includes(error.status);
}
