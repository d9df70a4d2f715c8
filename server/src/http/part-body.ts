import type { IncomingMessage } from "node:http";
import { errors } from "@lossless/protocol";
import { ServiceError } from "../errors.ts";
import { ClientGone } from "./request-body.ts";

/** How much is gathered while the part before is being written; then the client has to wait. */
const gatheredBytesMax = 262_144;
/** What has to arrive in each span of the time-out: a slow line may take its time, a standing one may not. */
const progressBytesMin = 65_536;
/**
 * What has to arrive on average, once a client has been waited for half of the time-out: one that sends just enough
 * to go on would hold a place for days.
 */
const averageBytesPerSecondMin = 16_384;

/**
 * The body of a request as it comes, in as many pieces as there are, with bounded memory. Throws ClientGone when
 * the connection ends early and `request_timeout` when too little arrives in `stallMs`, or on average. Left early, the rest of
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
  readonly #averageWatch: NodeJS.Timeout;
  #pieces: Buffer[] = [];
  #gatheredBytes = 0;
  #sinceLookBytes = 0;
  #arrivedBytes = 0;
  /** How long the client was waited for, and since when it is; the time that the disk takes is not its fault. */
  #waitedMs = 0;
  #waitedForSinceMs: number | undefined;
  #end: "complete" | Error | undefined;
  #wake: () => void = () => {};

  constructor(request: IncomingMessage, stallMs: number) {
    this.#request = request;
    this.#watch = setInterval(() => this.#look(), stallMs);
    this.#averageWatch = setInterval(() => this.#lookAtAverage(stallMs / 2), stallMs / 8);
    if (request.destroyed && !request.readableEnded) this.#finish(gone());
    request.on("data", this.#onData).on("end", this.#onEnd);
    request.on("error", this.#onGone).on("close", this.#onGone);
  }

  /** What has come since the last call, at least one piece; undefined at the end. */
  async take(): Promise<Buffer[] | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#end === "complete") return undefined;
      if (this.#end !== undefined) throw this.#end;
      this.#waitedForSinceMs = performance.now();
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#waitedMs += performance.now() - this.#waitedForSinceMs;
      this.#waitedForSinceMs = undefined;
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#gatheredBytes = 0;
    if (this.#request.isPaused()) this.#request.resume();
    return pieces;
  }

  release(): void {
    clearInterval(this.#watch);
    clearInterval(this.#averageWatch);
    this.#request.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onGone);
    this.#request.resume();
  }

  readonly #onData = (piece: Buffer): void => {
    this.#pieces.push(piece);
    this.#gatheredBytes += piece.length;
    this.#sinceLookBytes += piece.length;
    this.#arrivedBytes += piece.length;
    if (this.#gatheredBytes >= gatheredBytesMax) this.#request.pause();
    this.#wake();
  };

  readonly #onEnd = (): void => this.#finish("complete");
  readonly #onGone = (): void => this.#finish(gone());

  /** Only a client that is waited for can be too slow. */
  #look(): void {
    const isSlow = this.#waitedForSinceMs !== undefined && this.#sinceLookBytes < progressBytesMin;
    this.#sinceLookBytes = 0;
    if (isSlow) this.#finish(tooSlow());
  }

  #lookAtAverage(graceMs: number): void {
    if (this.#waitedForSinceMs === undefined) return;
    const waitedMs = this.#waitedMs + performance.now() - this.#waitedForSinceMs;
    if (waitedMs < graceMs) return;
    if (this.#arrivedBytes * 1000 < averageBytesPerSecondMin * waitedMs) this.#finish(tooSlow());
  }

  #finish(end: "complete" | Error): void {
    this.#end ??= end;
    this.#wake();
  }
}

function tooSlow(): ServiceError {
  return new ServiceError("request_timeout", errors.request_timeout.sentence);
}

function gone(): ClientGone {
  return new ClientGone("the request ended early");
}
