import { canonicalJson, type EventEndpoint, limits, metaTooLarge } from "@lossless/protocol";
import { elementsAsSent, memberAsSent } from "../bodies/json-as-sent.ts";
import { invalidEvents, type RequestEvents } from "./request-events.ts";
import type { ReceivedEvents } from "./received-event.ts";

/**
 * Returns the events with their metas as text: a point's in its canonical form, which tells
 * partitions apart. The free metas of `open`, `error` and `annotate` lose no digit: where
 * JSON.parse has rounded an integer in one of them, it is taken from the body as it was sent.
 * Throws `validation_failed` for a meta that is too large with these.
 */
export function withMetaTexts<Endpoint extends EventEndpoint>(
  { events, isArray }: RequestEvents<Endpoint>,
  body: Uint8Array,
): ReceivedEvents<Endpoint> {
  const rounded: number[] = [];
  for (const [index, { event, data }] of events.entries()) {
    if (!("meta" in data)) continue;
    const isPoint = event === "svc.v2.experiment.metric";
    const text = isPoint ? canonicalJson(data.meta) : JSON.stringify(data.meta);
    if (!isPoint && mayBeRounded.test(text) && holdsRoundedInteger(data.meta)) rounded.push(index);
    (data as { meta: unknown }).meta = text;
  }
  const received = events as unknown as ReceivedEvents<Endpoint>["events"];
  if (rounded.length > 0) takeMetasAsSent(received, isArray, rounded, body);
  return { events: received, isArray };
}

/** Text in which JSON.parse may round an integer: beyond 2^53 it has 16 digits, or an exponent. */
const mayBeRounded = /\d{16}|\de\+/;

function takeMetasAsSent(
  events: readonly { data: object }[],
  isArray: boolean,
  rounded: readonly number[],
  body: Uint8Array,
): void {
  const sent = isArray ? elementsAsSent(body) : [body];
  for (const index of rounded) {
    const data = memberAsSent(Buffer.from(sent[index]), "data")!;
    const meta = memberAsSent(Buffer.from(data), "meta")!;
    if (Buffer.byteLength(meta) > limits.jsonMetaBytesMax) {
      throw invalidEvents([metaTooLarge(`${isArray ? `[${index}].` : ""}data.meta`)]);
    }
    (events[index].data as { meta: string }).meta = meta;
  }
}

/** Whether JSON.parse may have rounded an integer below this value. */
function holdsRoundedInteger(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsRoundedInteger);
}
