import { once } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";

export interface SentReply {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** A client that sends an address as it is: `fetch` would collapse `..` in its path first. */
export async function sendTo(
  url: string,
  method: string,
  headers: Record<string, string> = {},
  body?: Uint8Array,
): Promise<SentReply> {
  const [, scheme, authority = "", path = ""] = /^(https?):\/\/([^/]+)(\/.*)$/.exec(url) ?? [];
  const [, hostname, port] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? [];
  const request = (scheme === "https" ? requestHttps : requestHttp)({
    hostname: (hostname ?? "").replaceAll(/[[\]]/g, ""),
    port: port ?? (scheme === "https" ? 443 : 80),
    path,
    method,
    // A store that refuses a request may close its connection.
    agent: false,
    headers: { ...(body !== undefined && { "content-length": body.byteLength }), ...headers },
  });
  request.end(body);
  const [reply] = (await once(request, "response")) as [IncomingMessage];
  const pieces = (await Array.fromAsync(reply)) as Buffer[];
  return { status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(pieces) };
}
