import { once } from "node:events";
import { createServer, request as send, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

/**
 * In front of Ceph 16, of which one thing cannot be used: with `BlockPublicAcls` it refuses every
 * PutObject, its owner's too. So PutPublicAccessBlock is answered here, and kept; everything else
 * passes as it is, signatures and all.
 */
export class CephFront implements AsyncDisposable {
  readonly endpoint: string;
  /** Targets of the requests that were kept back. */
  readonly keptBack: string[] = [];
  readonly #server: Server;

  private constructor(server: Server, upstream: string) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { hostname, port } = new URL(upstream);
    server.on("request", (request: IncomingMessage, response) => {
      const { method, url: path = "/", rawHeaders } = request;
      if (method === "PUT" && path.includes("?publicAccessBlock")) {
        this.keptBack.push(path);
        request.resume().once("end", () => response.writeHead(200).end());
        return;
      }
      const options = { hostname, port, method, path, headers: rawHeaders };
      const passed = send({ ...options, setDefaultHeaders: false });
      passed.once("error", () => response.destroy());
      passed.once("response", (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
        pipeline(reply, response).catch(() => response.destroy());
      });
      pipeline(request, passed).catch(() => passed.destroy());
    });
  }

  static async start(upstream: string): Promise<CephFront> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new CephFront(server, upstream);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
