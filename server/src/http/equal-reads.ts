/** Those who wait for one read that has not begun, and then for its result. */
interface Gathered<Result> {
  readers: number;
  stop: AbortController;
  result: Promise<Result>;
  /** From when it has begun until it has ended well or badly. */
  running?: Promise<void>;
}

/**
 * Reads of the same at the same time, as many pages of one experiment ask for, are one. Who comes
 * while it runs may have seen what it does not show, and waits for the next one, with all others
 * who come meanwhile.
 */
export class EqualReads<Result> {
  readonly #gathered = new Map<string, Gathered<Result>>();
  /** What runs, and somebody waits for. */
  readonly #running = new Map<string, Promise<void>>();

  /**
   * `read` begins after this was called, for everybody with that name. It is stopped when all of
   * them have left; who leaves rejects with the reason of their own signal.
   */
  async read(
    name: string,
    signal: AbortSignal,
    read: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    let gathered = this.#gathered.get(name);
    if (gathered === undefined) {
      gathered = this.#gather(name, read);
      this.#gathered.set(name, gathered);
    }
    const { stop, result } = gathered;
    gathered.readers++;
    const left = Promise.withResolvers<never>();
    const leave = (): void => {
      left.reject(signal.reason);
      if (--gathered.readers > 0) return;
      if (this.#gathered.get(name) === gathered) this.#gathered.delete(name);
      // It may go on for a while; nobody who comes now has seen anything of it.
      this.#end(name, gathered);
      stop.abort(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([result, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #gather(name: string, read: (signal: AbortSignal) => Promise<Result>): Gathered<Result> {
    const { promise, resolve } = Promise.withResolvers<Result>();
    const gathered: Gathered<Result> = { readers: 0, stop: new AbortController(), result: promise };
    resolve(this.#next(name, gathered, read));
    return gathered;
  }

  async #next(
    name: string,
    gathered: Gathered<Result>,
    read: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { signal } = gathered.stop;
    await this.#running.get(name);
    // All of them left, and others may gather under the name.
    signal.throwIfAborted();
    this.#gathered.delete(name);
    const result = read(signal);
    gathered.running = result.then(nothing, nothing);
    this.#running.set(name, gathered.running);
    try {
      return await result;
    } finally {
      this.#end(name, gathered);
    }
  }

  #end(name: string, { running }: Gathered<Result>): void {
    if (running !== undefined && this.#running.get(name) === running) this.#running.delete(name);
  }
}

function nothing(): void {}
