import { Line } from "./line.ts";
import type { Simulation } from "./simulation.ts";

/** Whoever computes for longer lets others go first, as an operating system does. */
export const turnS = 0.002;

export interface Work {
  seconds: number;
  done: () => void;
}

/** The processors of a machine: work waits in line for one of them. */
export class Cores {
  readonly count: number;
  readonly #simulation: Simulation;
  readonly #waiting = new Line<Turn>();
  readonly #first = new Line<Turn>();
  #working = 0;
  /** Seconds of processors that were used. */
  usedS = 0;

  constructor(simulation: Simulation, count: number) {
    this.#simulation = simulation;
    this.count = count;
  }

  /** `more` gives the next work of the same thread, which keeps its core until its turn is over. */
  use(work: Work, more: () => Work | undefined = nothing): void {
    this.#add(this.#waiting, { ...work, more });
  }

  /** The same for work that goes before all that waits. */
  useFirst(work: Work): void {
    this.#add(this.#first, { ...work, more: nothing });
  }

  #add(line: Line<Turn>, turn: Turn): void {
    if (this.#working < this.count) this.#begin(turn, 0);
    else line.push(turn);
  }

  #begin(turn: Turn, ranS: number): void {
    this.#working++;
    const nowS = Math.min(turn.seconds, turnS - ranS);
    this.#simulation.after(nowS, () => {
      this.usedS += nowS;
      this.#working--;
      const leftS = turn.seconds - nowS;
      const isOver = ranS + nowS >= turnS;
      if (leftS > 0) this.#waiting.push({ ...turn, seconds: leftS });
      const own = leftS > 0 ? undefined : turn.more();
      if (own !== undefined && !isOver) this.#begin({ ...own, more: turn.more }, ranS + nowS);
      else {
        if (own !== undefined) this.#waiting.push({ ...own, more: turn.more });
        const next = this.#first.shift() ?? this.#waiting.shift();
        if (next !== undefined) this.#begin(next, 0);
      }
      if (leftS <= 0) turn.done();
    });
  }
}

type Turn = Work & { more: () => Work | undefined };

function nothing(): undefined {}
