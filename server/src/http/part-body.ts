import type { IncomingMessage } from "node:http";
import { errors } from "@lossless/protocol";
import { ServiceError } from "../errors.ts";
import { ClientGone } from "./request-body.ts";

/** How much is gathered while the part before is being written; then the client has to wait. */
const gatheredBytesMax = 262_144;
/** What has to arrive in each span of the time-out: a slow line may take its time, a standing one may not. */
const progressBytesMin = 65_536;

/**
 * The body of a request as it comes, in as many pieces as there are, with bounded memory. Throws ClientGone when
 * the connection ends early and `request_timeout` when too little arrives in `stallMs`. Left early, the rest of
 * the body is thrown away.
 */
export async function* partBody(
  request: IncomingMessage,
  stallMs: number,
): AsyncGenerator<Buffer[]> {
  const arriving = new Arriving(request, stallMs);
  try {
    for (;;) {
      const pieces = await arriving.take();
      if (pieces === undefined) return;
      yield pieces;
    }
  } finally {
    arriving.release();
  }
}

class Arriving {
  readonly #request: IncomingMessage;
  readonly #watch: NodeJS.Timeout;
  #pieces: Buffer[] = [];
  #gatheredBytes = 0;
  #sinceLookBytes = 0;
  #isWaitedFor = false;
  #end: "complete" | Error | undefined;
  #wake: () => void = () => {};

  constructor(request: IncomingMessage, stallMs: number) {
    this.#request = request;
    this.#watch = setInterval(() => this.#look(), stallMs);
    if (request.destroyed && !request.readableEnded) this.#finish(gone());
    request.on("data", this.#onData).on("end", this.#onEnd);
    request.on("error", this.#onGone).on("close", this.#onGone);
  }

  /** What has come since the last call, at least one piece; undefined at the end. */
  async take(): Promise<Buffer[] | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#end === "complete") return undefined;
      if (this.#end !== undefined) throw this.#end;
      this.#isWaitedFor = true;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#isWaitedFor = false;
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#gatheredBytes = 0;
    if (this.#request.isPaused()) this.#request.resume();
    return pieces;
  }

  release(): void {
    clearInterval(this.#watch);
    this.#request.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onGone);
    this.#request.resume();
  }

  readonly #onData = (piece: Buffer): void => {
    this.#pieces.push(piece);
    this.#gatheredBytes += piece.length;
    this.#sinceLookBytes += piece.length;
    if (this.#gatheredBytes >= gatheredBytesMax) this.#request.pause();
    this.#wake();
  };

  readonly #onEnd = (): void => this.#finish("complete");
  readonly #onGone = (): void => this.#finish(gone());

  /** Only a client that is waited for can be too slow. */
  #look(): void {
    const isSlow = this.#isWaitedFor && this.#sinceLookBytes < progressBytesMin;
    this.#sinceLookBytes = 0;
    if (!isSlow) return;
    this.#finish(new ServiceError("request_timeout", errors.request_timeout.sentence));
  }

  #finish(end: "complete" | Error): void {
    this.#end ??= end;
    this.#wake();
  }
}

function gone(): ClientGone {
  return new ClientGone("the request ended early");
}
