import { columnsBody, columnsVersion } from "./columns.ts";
import { endpoints } from "./endpoints.ts";
import { EventError, ProtocolError, RequestError } from "./errors.ts";
import type { ExperimentSession } from "./experiment-session.ts";
import type { Point } from "./point.ts";
import { eventFailure, isObject, parsedReply } from "./replies.ts";
import { isTransient } from "./retry.ts";

/** The answer to points as columns; `refused` by index of the point. */
export interface ColumnsOutcome {
  deduplicated: number;
  refused: Map<number, EventError>;
}

/** Points from which on columns cost less than events. */
const columnsFromPoints = 100;
/** Requests without an answer, behind each of which its points were answered as events. */
const unansweredMax = 3;
/** Refusals of what a body has: sent as events, the service says which point it means. */
const codesOfContent = new Set(["validation_failed", "duplicate_message_id"]);
/**
 * Refusals of how a body arrived, too slowly or changed: as if it had no answer. Changed gzip is
 * `malformed_json`.
 */
const codesOfArrival = new Set(["request_timeout", "checksum_mismatch", "malformed_json"]);

/**
 * Sends points as columns (extension) to a service that has said that it takes them. A proxy or an
 * older service may refuse them all the same: then points go as events, under the same ids, and
 * columns are not tried again.
 */
export class ColumnDelivery {
  readonly #session: ExperimentSession;
  #isRefused = false;
  #unanswered = 0;

  constructor(session: ExperimentSession) {
    this.#session = session;
  }

  /** Whether points are sent so, as far as is known: batches may be larger then. */
  get isUsed(): boolean {
    return !this.#isRefused && this.#session.columnVersions.includes(columnsVersion);
  }

  /**
   * Sends the points once. A number: they have to go as events, and `answeredAsEvents` takes it
   * when they were answered. Throws what is to be tried again.
   */
  async send(points: readonly Point[], signal: AbortSignal): Promise<ColumnsOutcome | number> {
    if (!this.isUsed || points.length < columnsFromPoints) return 0;
    const body = columnsBody(points);
    if (body === undefined) return 0;
    try {
      const endpoint = endpoints.recordColumns(this.#session.experimentId);
      const outcome = columnsOutcome(
        await this.#session.post(body, signal, endpoint),
        points.length,
      );
      this.#unanswered = 0;
      return outcome;
    } catch (error) {
      const isUnanswered = isOfService(error) ? codesOfArrival.has(error.code) : isTransient(error);
      if (signal.aborted || (isTransient(error) && !isUnanswered)) throw error;
      if (isUnanswered) return 1;
      return isOfService(error) && codesOfContent.has(error.code) ? 0 : unansweredMax;
    }
  }

  /** Points were answered as events; `doubt`: how many requests without an answer it counts as. */
  answeredAsEvents(doubt: number): void {
    this.#unanswered += doubt;
    this.#isRefused ||= this.#unanswered >= unansweredMax;
  }
}

/** Whether the service itself has answered, and no proxy. */
function isOfService(error: unknown): error is RequestError {
  return error instanceof RequestError && error.code !== "unknown";
}

/** Reads an answer. Throws ProtocolError for any other text. */
export function columnsOutcome(text: string, sent: number): ColumnsOutcome {
  const reply = parsedReply(text);
  const { points, stored, deduplicated, refused } = isObject(reply) ? reply : {};
  if (points !== sent || !Array.isArray(refused)) throw notOurs(text);
  const errors = new Map<number, EventError>();
  for (const one of refused as unknown[]) {
    if (!isObject(one) || !Array.isArray(one["points"])) throw notOurs(text);
    const error = new EventError(eventFailure(one));
    for (const index of one["points"] as number[]) errors.set(index, error);
  }
  const isWhole = Number(stored) + Number(deduplicated) + errors.size === sent;
  const isWithin = [...errors.keys()].every((index) => index >= 0 && index < sent);
  if (!isWhole || !isWithin) throw notOurs(text);
  return { deduplicated: Number(deduplicated), refused: errors };
}

function notOurs(text: string): ProtocolError {
  return new ProtocolError(`the answer to columns is malformed: ${text.slice(0, 200)}`);
}
