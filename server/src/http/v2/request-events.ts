import {
  checkRequestEvent,
  type EventEndpoint,
  events,
  limits,
  type Problem,
  type RequestEvent,
} from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";

export interface RequestEvents<Endpoint extends EventEndpoint> {
  events: RequestEvent<Endpoint>[];
  /**
   * Whether the body was an array, which gets an array of replies; one envelope gets one reply
   * (batching rule 1).
   */
  isArray: boolean;
}

/** Number of problems reported for a request, which may have a thousand. */
const problemsShown = 5;

/**
 * Checks a whole body before any of its events runs (batching rules 1, 2, 4, 5 and 7). Throws
 * `validation_failed`, or `duplicate_message_id` when nothing else is wrong.
 */
export function readRequestEvents<Endpoint extends EventEndpoint>(
  endpoint: Endpoint,
  body: unknown,
): RequestEvents<Endpoint> {
  const isArray = Array.isArray(body);
  if (isArray && endpoint === "series") {
    throw invalidEvents([{ path: "", message: "must be exactly one envelope, not an array" }]);
  }
  const envelopes: unknown[] = isArray ? body : [body];
  if (envelopes.length === 0 || envelopes.length > limits.eventsPerRequestMax) {
    const message = `must have 1 to ${limits.eventsPerRequestMax} events, has ${envelopes.length}`;
    throw invalidEvents([{ path: "", message }]);
  }
  const problems: Problem[] = [];
  for (const [index, envelope] of envelopes.entries()) {
    const verdict = checkRequestEvent(endpoint, envelope, isArray ? `[${index}]` : "");
    if (!verdict.ok) problems.push(...verdict.problems);
    if (problems.length > problemsShown) break;
  }
  if (problems.length > 0) throw invalidEvents(problems);
  const checked = envelopes as RequestEvent<Endpoint>[];
  checkBatch(endpoint, checked);
  return { events: checked, isArray };
}

function checkBatch(endpoint: EventEndpoint, batch: RequestEvent[]): void {
  const sole = batch.findIndex(({ event }) => events[event].sole);
  if (sole !== -1 && batch.length > 1) {
    const message = `${batch[sole].event} must be the only event of its request`;
    throw invalidEvents([{ path: `[${sole}]`, message }]);
  }
  if (endpoint !== "experiment") return;
  const revoke = batch.findIndex(({ event }) => event === "svc.v2.experiment.tokenRevoke");
  if (revoke !== -1 && revoke < batch.length - 1) {
    const message = "svc.v2.experiment.tokenRevoke must be the last event of its batch";
    throw invalidEvents([{ path: `[${revoke}]`, message }]);
  }
  const seen = new Set<string>();
  for (const { messageId } of batch) {
    if (seen.has(messageId)) {
      throw new ServiceError(
        "duplicate_message_id",
        `The messageId ${JSON.stringify(messageId)} occurs twice in the batch; nothing was executed.`,
      );
    }
    seen.add(messageId);
  }
}

export function invalidEvents(problems: readonly Problem[]): ServiceError {
  const shown = problems
    .slice(0, problemsShown)
    .map(({ path, message }) => `${path === "" ? "the body" : path} ${message}`);
  const more = problems.length > problemsShown ? "; and more" : "";
  return new ServiceError("validation_failed", `Nothing was executed: ${shown.join("; ")}${more}.`);
}
