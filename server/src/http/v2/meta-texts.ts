import { canonicalJson, limits, metaTooLarge } from "@lossless/protocol";
import type { EventEndpoint } from "@lossless/protocol";
import { holdsRoundedInteger, parseExact, printExact } from "../../ground/exact-json.ts";
import { invalidEvents } from "./request-events.ts";
import type { RequestEvents } from "./request-events.ts";
import type { ReceivedEvents } from "./received-event.ts";

/**
 * The metas of the events, as text: a point's in its canonical form, which tells partitions apart. The free ones of
 * `open`, `error` and `annotate` are given back as they were sent: where JSON.parse has rounded an integer in one of
 * them, it is taken from the body again, with all its digits. Throws `validation_failed` for a meta that is too
 * large with these.
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
  if (rounded.length > 0) takeExactMetas(received, isArray, rounded, body);
  return { events: received, isArray };
}

/** Beyond 2^53 an integer has 16 digits, or an exponent. */
const mayBeRounded = /\d{16}|\de\+/;

function takeExactMetas(
  events: readonly { data: object }[],
  isArray: boolean,
  rounded: readonly number[],
  body: Uint8Array,
): void {
  const document = parseExact(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  const envelopes = (isArray ? document : [document]) as { data: { meta: unknown } }[];
  for (const index of rounded) {
    const text = printExact(envelopes[index].data.meta);
    if (Buffer.byteLength(text) > limits.jsonMetaBytesMax) {
      throw invalidEvents([metaTooLarge(`${isArray ? `[${index}].` : ""}data.meta`)]);
    }
    (events[index].data as { meta: string }).meta = text;
  }
}
