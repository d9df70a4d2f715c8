import { randomUUID } from "node:crypto";
import { errorData, errorEvent, isErrorCode, replyEventName } from "@lossless/protocol";
import type { ErrorCode, ReplyEnvelope, RequestEvent } from "@lossless/protocol";
import type { Figures } from "../admin/figures.ts";
import type { ServiceError } from "../errors.ts";
import { printExact } from "../exact-json.ts";

export type EventReply = ReplyEnvelope<string, unknown>;

/** The result of an event under the reply name of the protocol's table. */
export function resultReply({ messageId, event }: RequestEvent, data: unknown): EventReply {
  return envelope(messageId, replyEventName(event), data);
}

/** An event that failed inside an accepted request: `svc.v2.error` in its place. */
export function errorReply(
  { messageId }: RequestEvent,
  code: string,
  message: string,
  details: Record<string, unknown> = {},
): EventReply {
  if (!isErrorCode(code))
    throw new Error(`BUG: an event failed with a code that is in no table, got ${code}`);
  return envelope(messageId, errorEvent, errorData(code, message, details));
}

export function failureOf(
  event: RequestEvent,
  { code, message, details }: ServiceError,
): EventReply {
  return errorReply(event, code, message, details);
}

/**
 * One envelope gets one reply object, an array gets an array in request order (batching rule 1).
 */
export function repliesText(replies: readonly EventReply[], isArray: boolean): string {
  return printExact(isArray ? replies : replies[0]);
}

export function countEvents(
  { events, pointsAcknowledged, pointsDeduplicated }: Figures,
  batch: readonly RequestEvent[],
  replies: readonly EventReply[],
): void {
  for (const [index, { event }] of batch.entries()) {
    const reply = replies[index];
    const result = reply.event === errorEvent ? (reply.data as { code: ErrorCode }).code : "ok";
    events.add(1, event, result);
    if (event !== "svc.v2.experiment.metric" || result !== "ok") continue;
    pointsAcknowledged.add(1);
    if ((reply.data as { deduplicated: boolean }).deduplicated) pointsDeduplicated.add(1);
  }
}

function envelope(correlationId: string, event: string, data: unknown): EventReply {
  return { messageId: randomUUID(), correlationId, event, data };
}
