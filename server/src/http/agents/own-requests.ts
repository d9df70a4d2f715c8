import type { IncomingHttpHeaders, IncomingMessage, Server } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { requestHttp } from "../../ground/node-http.ts";

/** Whoever asks, and by which request. */
export interface Asker {
  /** The headers of that request; its credential and host are passed on. */
  headers: IncomingHttpHeaders;
  /** Its address, as rate limits and the audit log count it. */
  address: string;
  requestId: string;
  /** Aborts when the client has gone. */
  gone: AbortSignal;
}

/** A reply, with its JSON. */
export interface OwnReply {
  status: number;
  value: unknown;
}

/** Headers that say who asks, for which organization, under which name, and within which trace. */
const passedOn = ["authorization", "x-svc-organization", "host", "traceparent"] as const;

/**
 * Sends a request with JSON to this very service, over a connection within the process: it is
 * judged, counted and logged like any other of its asker.
 */
export async function askOurselves(
  server: Server,
  { headers, address, requestId, gone }: Asker,
  { method, path, body }: { method: string; path: string; body?: unknown },
): Promise<OwnReply> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const sent = {
    ...Object.fromEntries(
      passedOn.flatMap((name) => (name in headers ? [[name, headers[name]]] : [])),
    ),
    "x-request-id": requestId,
    ...(text !== undefined && { "content-type": "application/json" }),
  };
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const createConnection = () => connect(server, address);
    const options = { method, path, headers: sent, signal: gone, createConnection };
    requestHttp(options, resolve).on("error", reject).end(text);
  });
  const received = await buffer(reply);
  return { status: reply.statusCode!, value: JSON.parse(received.toString()) as unknown };
}

/** Connects without a network. Ends with the request, of which it has one. */
function connect(server: Server, remoteAddress: string): Duplex {
  const [near, far] = duplexPair();
  // It counts for nobody as it has no address yet: that of the asker's own connection is counted.
  server.emit("connection", far);
  Object.assign(far, { remoteAddress, resetAndDestroy: () => far.destroy() });
  return near;
}
