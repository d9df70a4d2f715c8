import { limits, metaTooLarge } from "@lossless/protocol";
import type { EventEndpoint } from "@lossless/protocol";
import { holdsRoundedInteger, parseExact, printExact } from "../exact-json.ts";
import { invalidEvents } from "./request-events.ts";
import type { RequestEvents } from "./request-events.ts";

/**
 * The free metas of `open`, `error` and `annotate` are given back as they were sent: where JSON.parse has rounded an
 * integer in one of them, it is taken from the body again, as bigint. Throws `validation_failed` for a meta that is
 * too large with all its digits.
 */
export function withExactMetas<Endpoint extends EventEndpoint>(
  request: RequestEvents<Endpoint>,
  body: Uint8Array,
): RequestEvents<Endpoint> {
  const { events, isArray } = request;
  const rounded = events.flatMap(({ data }, index) =>
    "meta" in data && holdsRoundedInteger(data.meta) ? [{ data: data as WithMeta, index }] : [],
  );
  if (rounded.length === 0) return request;
  const document = parseExact(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  const envelopes = (isArray ? document : [document]) as { data: WithMeta }[];
  for (const { data, index } of rounded) {
    data.meta = envelopes[index].data.meta;
    if (Buffer.byteLength(printExact(data.meta)) <= limits.jsonMetaBytesMax) continue;
    throw invalidEvents([metaTooLarge(`${isArray ? `[${index}].` : ""}data.meta`)]);
  }
  return request;
}

interface WithMeta {
  meta: unknown;
}
