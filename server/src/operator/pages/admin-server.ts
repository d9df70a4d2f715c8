import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listenUrl } from "../../ground/listen-address.ts";
import { createServer } from "../../ground/node-http.ts";
import { ConfigError } from "../../settings/options.ts";

export interface AdminPages {
  /** Prometheus text. */
  metrics(): Promise<string>;
  /** Whether the service is ready, and why not. */
  readiness(): Promise<{ ready: boolean; details: Record<string, unknown> }>;
}

export interface AdminServer extends AsyncDisposable {
  readonly url: string;
  readonly address: string;
  readonly port: number;
  /** Serves the pages; before, all but /healthz answer 503. */
  serve(pages: AdminPages): void;
}

/**
 * Figures for operators on a port of their own, by default on the loopback address: they tell how
 * much the service is used, and have no credential. The port is taken before there is anything to
 * show, so that a start that cannot have it ends before it has changed anything.
 */
export async function startAdminServer({
  host,
  port,
}: {
  host: string;
  port: number;
}): Promise<AdminServer> {
  let pages: AdminPages | undefined;
  let isLoopback = true;
  const server = createServer((request, response) => {
    answer(request, response, pages, isLoopback).catch(() => response.writeHead(500).end());
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, host, resolve);
  await promise.catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`Cannot listen at ${host}:${port} (--admin-port): ${error.code}.`);
  });
  const { address, port: bound } = server.address() as AddressInfo;
  isLoopback = /^(127\.|::1$)/.test(address);
  return {
    url: listenUrl(host, bound),
    address,
    port: bound,
    serve: (made) => void (pages = made),
    [Symbol.asyncDispose]: () => close(server),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pages: AdminPages | undefined,
  isLoopback: boolean,
): Promise<void> {
  const send = (status: number, type: string, body: string): void => {
    const headers = {
      "content-type": type,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    };
    response.writeHead(status, headers).end(body);
  };
  // A page of the web can make a browser ask loopback ports, but not under a loopback name (T23).
  const host = request.headers.host ?? "";
  if (isLoopback && !/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)) {
    return send(421, "text/plain; charset=utf-8", "misdirected request\n");
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return send(405, "text/plain; charset=utf-8", "GET only\n");
  }
  const path = String(request.url).split("?", 1)[0];
  if (pages === undefined && path !== "/healthz") {
    return send(503, "application/json", '{"status":"starting"}');
  }
  switch (path) {
    case "/metrics":
      return send(200, "text/plain; version=0.0.4; charset=utf-8", await pages!.metrics());
    case "/healthz":
      return send(200, "application/json", '{"status":"ok"}');
    case "/readyz": {
      const { ready, details } = await pages!.readiness();
      return send(ready ? 200 : 503, "application/json", JSON.stringify(details));
    }
    default:
      return send(404, "text/plain; charset=utf-8", "/metrics, /healthz, /readyz\n");
  }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
