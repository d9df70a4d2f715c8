import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { listening, LoopbackServer } from "../loopback.ts";

/** A request that a client made, and the reply to it. */
export interface Exchange {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  status: number;
  replyHeaders: IncomingHttpHeaders;
  reply: Buffer;
}

type Answer = (asked: Pick<Exchange, "method" | "path" | "headers" | "body">) => Promise<Exchange>;

/** A server whose replies somebody else makes. */
export class Relay extends LoopbackServer {
  readonly baseUrl = this.origin;

  /**
   * Passes requests on to a service, one at a time: what clients ask at once has an order then.
   * `observe` sees each with its reply.
   */
  static recording(baseUrl: string, observe: (exchange: Exchange) => void): Promise<Relay> {
    let last: Promise<unknown> = Promise.resolve();
    return Relay.#start((asked) => {
      const exchange = last.then(() => passedOn(baseUrl, asked));
      last = exchange.then(observe, () => undefined);
      return exchange;
    });
  }

  /** Answers from memory what was asked before, as it was answered last. */
  static remembering(exchanges: readonly Exchange[]): Promise<Relay> {
    const known = new Map(exchanges.map((exchange) => [keyOf(exchange), exchange]));
    return Relay.#start((asked) => {
      const found = known.get(keyOf(asked));
      if (found !== undefined) return Promise.resolve(found);
      const asks = `${asked.method} ${asked.path}`;
      return Promise.reject(new Error(`${asks} with this body was not asked before`));
    });
  }

  static async #start(answer: Answer): Promise<Relay> {
    const server = createServer((incoming, response) => {
      answerOne(answer, incoming, response).catch((error: Error) => {
        response.writeHead(400, { "content-type": "text/plain" }).end(error.message);
      });
    });
    return new Relay(await listening(server));
  }
}

function keyOf({ method, path, body }: Pick<Exchange, "method" | "path" | "body">): string {
  return `${method} ${path} ${body.toString("latin1")}`;
}

async function answerOne(
  answer: Answer,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "", url: path = "", headers } = incoming;
  const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>));
  const { status, replyHeaders, reply } = await answer({ method, path, headers, body });
  const { connection: _, "transfer-encoding": __, ...kept } = replyHeaders;
  response.writeHead(status, { ...kept, "content-length": reply.length }).end(reply);
}

function passedOn(
  baseUrl: string,
  asked: Pick<Exchange, "method" | "path" | "headers" | "body">,
): Promise<Exchange> {
  const { method, path, body } = asked;
  const { hostname, port } = new URL(baseUrl);
  const { host: _, connection: __, ...headers } = asked.headers;
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false });
    sent.on("error", reject).on("response", (incoming) => {
      Array.fromAsync(incoming as AsyncIterable<Buffer>).then((chunks) => {
        const { statusCode: status = 0, headers: replyHeaders } = incoming;
        resolve({ ...asked, status, replyHeaders, reply: Buffer.concat(chunks) });
      }, reject);
    });
    sent.end(body);
  });
}
