import type { EventEndpoint, EventNameOf, RequestData, RequestEnvelope } from "@lossless/protocol";
import type { WithMetaText } from "../../ground/meta-text.ts";
import { parseStrictJson } from "../../ground/strict-json.ts";
import { withMetaTexts } from "./meta-texts.ts";
import { readRequestEvents } from "./request-events.ts";

/** A request event that was checked, with its meta as text. */
export type ReceivedEvent<Endpoint extends EventEndpoint = EventEndpoint> = {
  [Name in EventNameOf<Endpoint>]: RequestEnvelope<Name, WithMetaText<RequestData<Name>>>;
}[EventNameOf<Endpoint>];

export interface ReceivedEvents<Endpoint extends EventEndpoint> {
  events: ReceivedEvent<Endpoint>[];
  /** An array gets an array of replies, one envelope gets one reply (batching rule 1). */
  isArray: boolean;
}

/** The events of a body: strict JSON, each event, the batching rules, in this order. Throws ServiceError. */
export function readEvents<Endpoint extends EventEndpoint>(
  endpoint: Endpoint,
  body: Uint8Array,
  depthMax: number,
): ReceivedEvents<Endpoint> {
  const value = parseStrictJson(body, { depth: depthMax });
  return withMetaTexts(readRequestEvents(endpoint, value), body);
}
