import type { IncomingMessage } from "node:http";
import { ReplyTooLarge } from "../../buckets/s3/transport.ts";
import { gather } from "../../ground/gather.ts";
import {
  type HttpAgent,
  type HttpsAgent,
  requestHttp,
  requestHttps,
} from "../../ground/node-http.ts";

export interface SignedReply {
  status: number;
  /** As the store sent it; undefined when it did not. */
  date: string | undefined;
  etag: string | undefined;
  body: Uint8Array;
}

const replyBytesMax = 65_536;

/**
 * Requests to signed addresses as clients make them, on connections that the egress policy has
 * judged. Follows no redirect and reads a small reply only.
 */
export class SignedRequests implements Disposable {
  readonly #agents: { http: HttpAgent; https: HttpsAgent };

  /** `agents` of the egress policy; they end with this object. */
  constructor(agents: { http: HttpAgent; https: HttpsAgent }) {
    this.#agents = agents;
  }

  put(
    url: string,
    headers: Record<string, string>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<SignedReply> {
    const length = { "content-length": String(body.length) };
    return this.#send("PUT", url, { ...headers, ...length }, body, signal);
  }

  /** Bytes `first` to `last`, both included. */
  getRange(url: string, first: number, last: number, signal: AbortSignal): Promise<SignedReply> {
    return this.#send("GET", url, { range: `bytes=${first}-${last}` }, undefined, signal);
  }

  #send(
    method: "PUT" | "GET",
    url: string,
    headers: Record<string, string>,
    body: Uint8Array | undefined,
    signal: AbortSignal,
  ): Promise<SignedReply> {
    const isPlain = url.startsWith("http:");
    const agent = isPlain ? this.#agents.http : this.#agents.https;
    const send = isPlain ? requestHttp : requestHttps;
    return new Promise((resolve, reject) => {
      const request = send(url, { method, headers, agent, signal }, (reply) => {
        readReply(reply).then(resolve, (error: Error) => {
          request.destroy();
          reject(error);
        });
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }
}

async function readReply(reply: IncomingMessage): Promise<SignedReply> {
  const body = await gather(reply as AsyncIterable<Uint8Array>, replyBytesMax);
  if (body === undefined) throw new ReplyTooLarge("The reply is too large.");
  const { date, etag } = reply.headers;
  return { status: reply.statusCode ?? 0, date, etag, body };
}
