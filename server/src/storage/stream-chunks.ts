/** Chunks requested ahead of the one being sent, so that reader and network work at once. */
const chunksAhead = 2;

/** One stream as its consumer iterates it: taking a chunk requests one from the other thread. */
export class StreamChunks implements AsyncIterable<Uint8Array> {
  readonly #pull: () => void;
  readonly #leave: (finished: boolean) => void;
  readonly #arrived: Uint8Array[] = [];
  #finished = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(pull: () => void, leave: (finished: boolean) => void) {
    this.#pull = pull;
    this.#leave = leave;
  }

  push(bytes: Uint8Array, last: boolean): void {
    if (bytes.length > 0) this.#arrived.push(bytes);
    if (last) this.#finished = true;
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (let ahead = 0; ahead < chunksAhead; ahead++) this.#pull();
      for (;;) {
        const chunk = this.#arrived.shift();
        if (chunk !== undefined) {
          yield chunk;
          if (!this.#finished) this.#pull();
        } else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#finished) return;
        else await this.#nextArrival();
      }
    } finally {
      this.#leave(this.#finished);
    }
  }

  async #nextArrival(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
  }
}
