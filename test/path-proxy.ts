import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream";
import { listening, LoopbackServer } from "./loopback.ts";

/** Where a service stands on its host, and what the proxy before it makes of the path. */
export interface PathOnHost {
  path: string;
  /** As `proxy_pass http://127.0.0.1:7070/;` of nginx; else the path is passed on. */
  strips: boolean;
}

/**
 * A host of which one path is a service's. What asks for anything beside that path is a fault, and
 * closing the proxy throws then.
 */
export class PathProxy extends LoopbackServer {
  readonly baseUrl: string;
  /** Requests beside the path. */
  readonly strays: string[] = [];
  /** The service's own address, as soon as it is known. */
  target: string | undefined;
  readonly #place: PathOnHost;

  private constructor(server: Server, place: PathOnHost) {
    super(server);
    this.#place = place;
    this.baseUrl = this.origin + place.path;
    server.on("request", (asked, reply) => this.#pass(asked, reply));
  }

  /** It closes no idle connection: a client on a slow machine may be about to use it. */
  static async start(place: PathOnHost): Promise<PathProxy> {
    return new PathProxy(
      await listening(createServer({ requestTimeout: 0, keepAliveTimeout: 0 })),
      place,
    );
  }

  #pass(asked: IncomingMessage, reply: ServerResponse): void {
    const { path, strips } = this.#place;
    const { url = "", method, rawHeaders } = asked;
    const isBelow = url === path || url.startsWith(`${path}/`) || url.startsWith(`${path}?`);
    if (!isBelow || this.target === undefined) {
      if (!isBelow) this.strays.push(`${method} ${url} from ${asked.headers.referer}`);
      reply.writeHead(404).end("something else");
      return;
    }
    const rest = url.slice(path.length);
    const stripped = rest.startsWith("/") ? rest : `/${rest}`;
    const { hostname, port } = new URL(this.target);
    const passed = request(
      { hostname, port, method, path: strips ? stripped : url, headers: rawHeaders, agent: false },
      (answer) => {
        reply.writeHead(answer.statusCode!, answer.rawHeaders);
        pipeline(answer, reply, () => passed.destroy());
      },
    );
    passed.on("error", () => (reply.headersSent ? reply.destroy() : reply.writeHead(502).end()));
    reply.on("close", () => passed.destroy());
    asked.pipe(passed);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    if (this.strays.length > 0)
      throw new Error(`requests beside ${this.#place.path}:\n${this.strays.join("\n")}`);
  }
}
