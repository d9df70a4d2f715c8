import { request as send, type IncomingMessage, type Server } from "node:http";
import { pipeline } from "node:stream/promises";
import { listening, LoopbackServer } from "../../loopback.ts";

/**
 * In front of Ceph 16, of which one thing cannot be used: with `BlockPublicAcls` it refuses every
 * PutObject, its owner's too. So PutPublicAccessBlock is answered here, and kept; everything else
 * passes as it is, signatures and all.
 */
export class CephFront extends LoopbackServer {
  /** Targets of the requests that were kept back. */
  readonly keptBack: string[] = [];

  private constructor(server: Server, upstream: string) {
    super(server);
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
    return new CephFront(await listening(), upstream);
  }
}
