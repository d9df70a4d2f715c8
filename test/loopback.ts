import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * An HTTP server of a test, on a port of 127.0.0.1 that the system chose. Its end cuts its
 * connections.
 */
export class LoopbackServer implements AsyncDisposable {
  readonly origin: string;
  readonly #server: Server;

  constructor(listeningServer: Server) {
    this.#server = listeningServer;
    this.origin = `http://127.0.0.1:${(listeningServer.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

export async function answering(answer: RequestListener): Promise<LoopbackServer> {
  return new LoopbackServer(await listening(createServer(answer)));
}

export async function listening(server: Server = createServer()): Promise<Server> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
