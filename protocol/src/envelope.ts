import * as Type from "./type.ts";
import type { TSchema } from "typebox";
import { type ErrorCode, errorCodes } from "./errors.ts";
import { limits } from "./limits.ts";
import { closedObject, text } from "./schema.ts";

export const errorEvent = "svc.v2.error";

const messageId = text(
  1,
  limits.messageIdCharactersMax,
  "Names this message; a UUID is recommended. Points of an experiment are deduplicated by it.",
);

/** Request envelope of one event. A correlationId is accepted and ignored. */
export function requestEnvelope(title: string, event: string, data: TSchema) {
  return closedObject(title, {
    messageId,
    correlationId: Type.Optional(
      text(1, limits.messageIdCharactersMax, "Accepted and ignored; replies name the messageId."),
    ),
    event: eventName(title, event),
    data,
  });
}

/** Reply envelope of one event. */
export function replyEnvelope(title: string, event: string, data: TSchema) {
  return closedObject(title, {
    messageId: text(1, limits.messageIdCharactersMax, "A fresh id of this reply."),
    correlationId: text(1, limits.messageIdCharactersMax, "The messageId of the request."),
    event: eventName(title, event),
    data,
  });
}

/** Makes the event's name a type of its own, by which generated clients tell envelopes apart. */
function eventName<const Name extends string>(title: string, event: Name) {
  return Type.Literal(event, { "x-name": `${title}Event` });
}

export interface RequestEnvelope<Name extends string, Data> {
  messageId: string;
  correlationId?: string;
  event: Name;
  data: Data;
}

export interface ReplyEnvelope<Name extends string, Data> {
  messageId: string;
  correlationId: string;
  event: Name;
  data: Data;
}

export const ErrorReplyData = closedObject(
  "ErrorReplyData",
  {
    code: Type.Unsafe<ErrorCode>({ type: "string", enum: errorCodes, description: "What failed." }),
    message: Type.String({ description: "A sentence for people." }),
    status: Type.Integer({ description: "The HTTP status that the event would have had." }),
    retryable: Type.Boolean({ description: "True for status 429 and 5xx, otherwise false." }),
    details: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      description: "Depends on the code; `{}` if there is nothing to add.",
    }),
  },
  { description: "Why an event failed or a stream ended early." },
);

/** Body of a successful GET of the v2 interface. */
export function success(title: string, data: TSchema) {
  return closedObject(title, { data, error: Type.Null() });
}
