const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Until disposed, runs `clean` before a signal ends the program. The program then ends by that same
 * signal, so that a shell sees 130 or 143 and stops its loop. `clean` is synchronous: nothing else
 * runs in between.
 */
export class Interruption implements Disposable {
  readonly #clean: () => void;

  constructor(clean: () => void) {
    this.#clean = clean;
    for (const signal of signals) process.on(signal, this.#end);
  }

  [Symbol.dispose](): void {
    for (const signal of signals) process.off(signal, this.#end);
  }

  readonly #end = (signal: NodeJS.Signals): void => {
    try {
      // Disposed afterwards: a second Ctrl-C must not cut the cleaning short.
      this.#clean();
    } finally {
      this[Symbol.dispose]();
      process.kill(process.pid, signal);
    }
  };
}
