import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { listening, LoopbackServer } from "../loopback.ts";

/**
 * A proxy before several nodes: a request goes to the next one in turn, and to another one when
 * that accepts no connection. A reply that broke is the client's to repeat.
 */
export class Balancer extends LoopbackServer {
  /** Addresses of the nodes. */
  readonly nodes = new Set<string>();
  /** Told of every reply; undefined: no node gave one, or not to its end. */
  onReply: (answer: IncomingMessage | undefined) => void = () => {};
  #turn = 0;

  static async start(): Promise<Balancer> {
    const server = await listening(createServer({ requestTimeout: 0, keepAliveTimeout: 0 }));
    const balancer = new Balancer(server);
    server.on("request", (asked, reply) => balancer.#pass(asked, reply, balancer.#inTurn()));
    return balancer;
  }

  #inTurn(): string[] {
    const nodes = [...this.nodes];
    const first = this.#turn++ % Math.max(1, nodes.length);
    return [...nodes.slice(first), ...nodes.slice(0, first)];
  }

  #pass(asked: IncomingMessage, reply: ServerResponse, [node, ...others]: string[]): void {
    if (node === undefined) return this.#fail(reply, 503);
    const { hostname, port } = new URL(node);
    const { url, method, rawHeaders: headers } = asked;
    const passed = request({ hostname, port, path: url, method, headers, agent: false });
    passed.on("response", (answer) => {
      this.onReply(answer);
      reply.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.on("error", () => isLeft || this.onReply(undefined));
      pipeline(answer, reply, () => passed.destroy());
    });
    passed.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") return this.#pass(asked, reply, others);
      if (reply.headersSent) reply.destroy();
      else this.#fail(reply, 502);
    });
    let isLeft = false;
    reply.on("close", () => {
      isLeft = true;
      passed.destroy();
    });
    // Only then is anything of the body taken, so that another node can have it.
    passed.on("socket", (socket) => socket.on("connect", () => asked.pipe(passed)));
  }

  #fail(reply: ServerResponse, status: number): void {
    this.onReply(undefined);
    reply.writeHead(status).end();
  }
}
