import { randomUUID } from "node:crypto";
import {
  type ErrorCode,
  errorData,
  errorEvent,
  isErrorCode,
  type ReplyEnvelope,
  replyEventName,
} from "@lossless/protocol";
import type { Figures } from "../../ground/figures/figures.ts";
import type { ServiceError } from "../../ground/errors.ts";
import type { ReceivedEvent } from "./received-event.ts";
import { JsonBytes } from "../replies/read-replies.ts";

export type EventReply = ReplyEnvelope<string, unknown>;

/** Returns the result of an event under the reply name of the protocol's table. */
export function resultReply({ messageId, event }: ReceivedEvent, data: unknown): EventReply {
  return envelope(messageId, replyEventName(event), data);
}

/**
 * Returns the reply to an event that failed inside an accepted request: `svc.v2.error` in its
 * place.
 */
export function errorReply(
  { messageId }: ReceivedEvent,
  code: string,
  message: string,
  details: Record<string, unknown> = {},
): EventReply {
  if (!isErrorCode(code))
    throw new Error(`BUG: an event failed with a code that is in no table, got ${code}`);
  return envelope(messageId, errorEvent, errorData(code, message, details));
}

export function failureOf(
  event: ReceivedEvent,
  { code, message, details }: ServiceError,
): EventReply {
  return errorReply(event, code, message, details);
}

/**
 * Returns the text of the replies: one envelope gets one reply object, an array gets an array in
 * request order (batching rule 1). Results that the storage has as text are inserted unchanged.
 */
export function repliesText(
  replies: readonly EventReply[],
  isArray: boolean,
): string | Uint8Array[] {
  if (!replies.some(({ data }) => data instanceof JsonBytes)) {
    return JSON.stringify(isArray ? replies : replies[0]);
  }
  const pieces: Uint8Array[] = [];
  for (const [index, { data, ...known }] of replies.entries()) {
    const head = JSON.stringify(known);
    const opening = isArray ? (index === 0 ? "[" : ",") : "";
    pieces.push(Buffer.from(`${opening}${head.slice(0, -1)},"data":`));
    if (data instanceof JsonBytes) pieces.push(...data.pieces);
    else pieces.push(Buffer.from(JSON.stringify(data)));
    pieces.push(closing);
  }
  if (isArray) pieces.push(Buffer.from("]"));
  return pieces;
}

const closing = Buffer.from("}");

export function countEvents(
  { events, pointsAcknowledged, pointsDeduplicated }: Figures,
  batch: readonly ReceivedEvent[],
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
