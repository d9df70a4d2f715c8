import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { errors, type ErrorForm } from "@lossless/protocol";
import type { Figures } from "../../ground/figures/figures.ts";
import { ServiceError } from "../../ground/errors.ts";
import { STATUS_CODES } from "../../ground/node-http.ts";
import { errorFormOf, targetIn } from "./error-form.ts";
import { failureReply } from "./error-replies.ts";

/**
 * Answers what Node's parser refuses before there is a request in our form, then closes (T50, T54).
 * Every request that is being answered is announced to it, so that no refusal is written into the
 * middle of a reply.
 */
export class BrokenRequests {
  readonly #figures: Figures;
  readonly #longBodies: WeakSet<Socket>;
  readonly #served: (target: string) => string;
  readonly #responses = new WeakMap<Socket, ServerResponse>();

  /** `served` returns a request's target as the endpoints table has it. */
  constructor(figures: Figures, longBodies: WeakSet<Socket>, served: (target: string) => string) {
    this.#figures = figures;
    this.#served = served;
    this.#longBodies = longBodies;
  }

  noteAnswering(request: IncomingMessage, response: ServerResponse): void {
    this.#responses.set(request.socket, response);
  }

  onClientError(error: ParserError, socket: Socket): void {
    // Node reports it once for a request, and watches the next one of the connection again.
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && this.#longBodies.has(socket)) return;
    if (error.code === "ECONNRESET") socket.destroy();
    else if (error.code === "HPE_INVALID_METHOD")
      this.#refuseMethod("An unknown method", error, socket);
    else this.#answer(brokenRequest(error), socket, this.#formOf(error));
  }

  onConnect(socket: Socket): void {
    this.#refuseMethod("CONNECT", {}, socket);
  }

  #refuseMethod(what: string, error: Partial<ParserError>, socket: Socket): void {
    const details = { allow: "GET, HEAD, POST, PUT, PATCH, DELETE" };
    const refusal = new ServiceError(
      "method_not_allowed",
      `${what} is not accepted here.`,
      details,
    );
    this.#answer(refusal, socket, this.#formOf(error));
  }

  #formOf(error: Partial<ParserError>): ErrorForm {
    return errorFormOf(this.#served(targetIn(...readPart(error))));
  }

  #answer(error: ServiceError, socket: Socket, form: ErrorForm): void {
    const running = this.#responses.get(socket);
    const isInReply = running?.headersSent === true && !running.writableFinished;
    if (isInReply || !socket.writable) {
      socket.destroy();
      return;
    }
    const { code, status, headers, body } = failureReply(error, randomUUID(), form);
    this.#figures.rejected.add(1, code);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n`;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}${length}`;
    socket.write(`${head}\r\n${body}`);
    socket.destroySoon();
  }
}

/** Properties that Node adds to the errors of its parser; other errors have none of them. */
interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: unknown;
  bytesParsed?: number;
}

/** The bytes received, and how many of them the parser consumed. */
function readPart({
  rawPacket,
  bytesParsed,
}: Partial<ParserError>): [Buffer | undefined, number | undefined] {
  return [Buffer.isBuffer(rawPacket) ? rawPacket : undefined, bytesParsed];
}

function brokenRequest({ code }: NodeJS.ErrnoException): ServiceError {
  const found =
    code === "HPE_HEADER_OVERFLOW"
      ? "headers_too_large"
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "request_timeout"
        : "invalid_headers";
  return new ServiceError(found, errors[found].sentence);
}

/** Size up to which unread bodies are read and discarded, so that the connection stays open. */
const discardedBytesMax = 1_048_576;
const lingerMs = 2_000;

/**
 * Closes the connection after the reply to a request whose body was not read to its end. Small
 * rests are discarded by Node itself. For large or endless ones the connection closes; but not at
 * once: closing with unread bytes makes the kernel send a reset, and the client loses the reply
 * that tells it why. A body that is given up (`isGivenUp`) is not waited for, however small.
 */
export function closeAfterReply(
  request: IncomingMessage,
  reply: FastifyReply,
  isGivenUp = false,
): void {
  if (request.complete) return;
  const declared = Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY);
  const hasBody = request.headers["transfer-encoding"] !== undefined || declared > 0;
  if (!hasBody || (declared <= discardedBytesMax && !isGivenUp)) return;
  reply.header("connection", "close");
  const { socket } = request;
  // Node calls this when the reply is written and the connection is not kept alive.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  };
}
