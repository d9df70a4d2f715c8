import type { Cores, Work } from "./cores.ts";
import { Line } from "./line.ts";

/** One piece of work at a time, in the order in which it was given, each on one of the cores. */
export class Thread {
  readonly #cores: Cores;
  readonly #waiting = new Line<Work>();
  #isBusy = false;
  /** Seconds of its own work: at most those that pass. */
  usedS = 0;

  constructor(cores: Cores) {
    this.#cores = cores;
  }

  run(seconds: number, done: () => void): void {
    const work = {
      seconds,
      done: () => {
        this.usedS += seconds;
        done();
      },
    };
    if (this.#isBusy) return this.#waiting.push(work);
    this.#isBusy = true;
    this.#cores.use(work, () => this.#next());
  }

  #next(): Work | undefined {
    const next = this.#waiting.shift();
    this.#isBusy = next !== undefined;
    return next;
  }
}
