import type { EventEndpoint } from "@lossless/protocol";
import { parseStrictJson } from "../../ground/strict-json.ts";
import { withMetaTexts } from "./meta-texts.ts";
import type { ReceivedEvents } from "./received-event.ts";
import { readRequestEvents } from "./request-events.ts";

/**
 * Reads a body's events: strict JSON, each event, batching rules, in this order. Throws
 * ServiceError.
 */
export function readEvents<Endpoint extends EventEndpoint>(
  endpoint: Endpoint,
  body: Uint8Array,
  depthMax: number,
): ReceivedEvents<Endpoint> {
  const value = parseStrictJson(body, { depth: depthMax });
  return withMetaTexts(readRequestEvents(endpoint, value), body);
}
