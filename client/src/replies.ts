import { EventError, type EventFailure, ProtocolError } from "./errors.ts";

/** Outcome of one event: the reply's data, or its EventError. */
export type EventOutcome = Record<string, unknown> | EventError;

/** Parses a reply's JSON text. Throws ProtocolError for other texts, such as a proxy's page. */
export function parsedReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProtocolError("the reply is not JSON", { cause: error });
  }
}

/**
 * Reads the reply array of an `/events` endpoint. Replies are in request order, and each names its
 * request in `correlationId`; anything else throws ProtocolError.
 */
export function eventOutcomes(text: string, messageIds: readonly string[]): EventOutcome[] {
  const body = parsedReply(text);
  if (!Array.isArray(body) || body.length !== messageIds.length) {
    throw new ProtocolError(`expected ${messageIds.length} replies, got ${describe(body)}`);
  }
  return body.map((reply: unknown, index) => eventOutcome(reply, messageIds[index]));
}

export function eventOutcome(reply: unknown, messageId: string): EventOutcome {
  if (!isObject(reply) || reply["correlationId"] !== messageId || !isObject(reply["data"])) {
    throw new ProtocolError(`reply to ${messageId} is malformed: ${describe(reply)}`);
  }
  const data = reply["data"];
  return reply["event"] === "svc.v2.error" ? new EventError(eventFailure(data)) : data;
}

/** Returns the data of a reply; throws the EventError of a failed event. */
export function succeeded<Data>(outcome: EventOutcome | undefined): Data {
  if (outcome instanceof EventError) throw outcome;
  return outcome as Data;
}

export function failedWith(outcome: unknown, code: string): boolean {
  return outcome instanceof EventError && outcome.code === code;
}

export function eventFailure(data: Record<string, unknown>): EventFailure {
  const { code, message, status, retryable, details } = data;
  return {
    code: typeof code === "string" ? code : "unknown",
    message: typeof message === "string" ? message : "the service gave no reason",
    status: typeof status === "number" ? status : 500,
    retryable: retryable === true,
    details: isObject(details) ? details : {},
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
