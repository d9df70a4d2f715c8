import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface AdminPages {
  /** Prometheus text. */
  metrics(): Promise<string>;
  /** Whether the service is ready, and why not. */
  readiness(): Promise<{ ready: boolean; details: Record<string, unknown> }>;
}

export interface AdminServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * Figures for operators on a port of their own, on the loopback address only: they tell how much
 * the service is used, and have no credential.
 */
export async function startAdminServer(port: number, pages: AdminPages): Promise<AdminServer> {
  const server = createServer((request, response) => {
    answer(request, response, pages).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${bound}`, [Symbol.asyncDispose]: () => close(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pages: AdminPages,
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
  if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(request.headers.host ?? "")) {
    return send(421, "text/plain; charset=utf-8", "misdirected request\n");
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return send(405, "text/plain; charset=utf-8", "GET only\n");
  }
  const path = String(request.url).split("?", 1)[0];
  switch (path) {
    case "/metrics":
      return send(200, "text/plain; version=0.0.4; charset=utf-8", await pages.metrics());
    case "/healthz":
      return send(200, "application/json", '{"status":"ok"}');
    case "/readyz": {
      const { ready, details } = await pages.readiness();
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
