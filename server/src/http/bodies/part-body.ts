import type { IncomingMessage } from "node:http";
import { type BodyProgress, BodyWatch } from "./body-progress.ts";
import { ClientGone } from "./client-gone.ts";

/** Bytes gathered while the previous part is being written; beyond that the client has to wait. */
const gatheredBytesMax = 262_144;
/**
 * Yields the body of a request as it arrives, in any number of pieces, with bounded memory. Throws
 * ClientGone when the connection ends early and `request_timeout` when it arrives too slowly. When
 * the loop is left early, the rest of the body is discarded.
 */
export async function* partBody(
  request: IncomingMessage,
  watch: BodyWatch,
): AsyncGenerator<Buffer[]> {
  const arriving = new Arriving(request, watch);
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

/**
 * Returns the watch of parts, which may take longer than other requests: their time-out is the span
 * for some progress.
 */
export function partWatch(stallMs: number): BodyWatch {
  return new BodyWatch({
    spanMs: stallMs,
    spanBytesMin: 65_536,
    graceMs: stallMs / 2,
    averageBytesPerSecondMin: 16_384,
  });
}

class Arriving {
  readonly #request: IncomingMessage;
  readonly #progress: BodyProgress;
  #pieces: Buffer[] = [];
  #gatheredBytes = 0;
  #end: "complete" | Error | undefined;
  #wake: () => void = () => {};

  constructor(request: IncomingMessage, watch: BodyWatch) {
    this.#request = request;
    this.#progress = watch.follow((error) => this.#finish(error));
    if (request.destroyed && !request.readableEnded) this.#finish(new ClientGone());
    request.on("data", this.#onData).on("end", this.#onEnd);
    request.on("error", this.#onGone).on("close", this.#onGone);
  }

  /** Returns the pieces received since the last call, at least one; undefined at the end. */
  async take(): Promise<Buffer[] | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#end === "complete") return undefined;
      if (this.#end !== undefined) throw this.#end;
      this.#progress.startWaiting();
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#progress.stopWaiting();
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#gatheredBytes = 0;
    if (this.#request.isPaused()) this.#request.resume();
    return pieces;
  }

  release(): void {
    this.#progress[Symbol.dispose]();
    this.#request.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onGone);
    this.#request.resume();
  }

  readonly #onData = (piece: Buffer): void => {
    this.#pieces.push(piece);
    this.#gatheredBytes += piece.length;
    this.#progress.arrived(piece.length);
    if (this.#gatheredBytes >= gatheredBytesMax) this.#request.pause();
    this.#wake();
  };

  readonly #onEnd = (): void => this.#finish("complete");
  readonly #onGone = (): void => this.#finish(new ClientGone());

  #finish(end: "complete" | Error): void {
    this.#end ??= end;
    this.#wake();
  }
}
