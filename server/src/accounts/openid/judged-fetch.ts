import type { IncomingMessage } from "node:http";
import type { EgressPolicy } from "../../buckets/egress.ts";
import { requestHttp, requestHttps } from "../../ground/node-http.ts";

/** Timeout of a provider's reply; short, because a person waits before a page. */
const answerMs = 10_000;
/** Maximum of a reply; metadata, keys and tokens have a few KiB. */
const replyBytesMax = 1_048_576;

/** The request options that openid-client passes. */
export interface FetchOptions {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** A reply that the service does not accept from a provider. */
export class UnusableReply extends Error {
  override name = "UnusableReply";
}

/**
 * Returns a fetch for requests to an identity provider, whose address an owner of an organization
 * sets. Its connections are judged by egress as those to stores: one request and one reply, no
 * redirect, limited in size and time. `close` ends the connections that are kept open.
 */
export function judgedFetch(egress: EgressPolicy) {
  const agents = egress.agents();
  const fetch = async (address: string, { method, headers, body }: FetchOptions) => {
    const url = new URL(address);
    const isPlain = url.protocol === "http:";
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const signal = AbortSignal.timeout(answerMs);
    const send = isPlain ? requestHttp : requestHttps;
    const agent = isPlain ? agents.http : agents.https;
    const sent = send(url, { method, headers, agent, signal });
    sent.once("response", resolve).once("error", reject);
    sent.end(bodyText(body));
    const reply = await promise;
    const bytes = await collect(reply);
    const status = reply.statusCode ?? 0;
    const type = reply.headers["content-type"];
    return new Response(hasNoBody(status) ? null : bytes, {
      status,
      headers: type === undefined ? {} : { "content-type": type },
    });
  };
  const close = () => {
    agents.http.destroy();
    agents.https.destroy();
  };
  return { fetch, close };
}

async function collect(reply: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of reply as AsyncIterable<Buffer>) {
    pieces.push(piece);
    sizeBytes += piece.byteLength;
    if (sizeBytes > replyBytesMax) throw new UnusableReply("its reply is too large");
  }
  return new Uint8Array(Buffer.concat(pieces));
}

function bodyText(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new Error(`BUG: a request to an identity provider got a body of ${typeof body}`);
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
