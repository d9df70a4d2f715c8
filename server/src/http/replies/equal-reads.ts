/** Readers that wait for one read that has not begun, and then for its result. */
interface Gathered<Result> {
  readers: number;
  stop: AbortController;
  result: Promise<Result>;
}

/**
 * Merges equal reads at the same time, as many pages of one experiment request them. A reader that
 * comes while a read runs may have seen a change that it does not show; it waits for the next read,
 * together with all others that come meanwhile.
 */
export class EqualReads<Result> {
  readonly #gathered = new Map<string, Gathered<Result>>();
  /** Reads that run and are waited for, until they have ended well or badly. */
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<void> }>();

  /**
   * Reads for all readers of the name together; `read` begins after this call. It is stopped when
   * all of them have left; a reader that leaves rejects with the reason of its own signal.
   */
  async read(
    name: string,
    signal: AbortSignal,
    read: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    let gathered = this.#gathered.get(name);
    if (gathered === undefined) {
      const stop = new AbortController();
      gathered = { readers: 0, stop, result: this.#next(name, stop, read) };
      this.#gathered.set(name, gathered);
    }
    const { stop, result } = gathered;
    gathered.readers++;
    const left = Promise.withResolvers<never>();
    const leave = (): void => {
      left.reject(signal.reason);
      if (--gathered.readers > 0) return;
      if (this.#gathered.get(name) === gathered) this.#gathered.delete(name);
      // The read may go on for a while; no reader that comes now has seen any of it.
      this.#end(name, stop);
      stop.abort(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([result, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  async #next(
    name: string,
    stop: AbortController,
    read: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    await this.#running.get(name)?.ended;
    // All readers have left, and others may gather under the name.
    stop.signal.throwIfAborted();
    this.#gathered.delete(name);
    const result = read(stop.signal);
    this.#running.set(name, { stop, ended: result.then(nothing, nothing) });
    try {
      return await result;
    } finally {
      this.#end(name, stop);
    }
  }

  #end(name: string, stop: AbortController): void {
    if (this.#running.get(name)?.stop === stop) this.#running.delete(name);
  }
}

function nothing(): void {}
