import type { Places } from "./places.ts";
import type { WatchedWorker } from "./watched-worker.ts";

/** The workers that do not answer, or are damaged: background work leaves their experiments out. */
export class AwayWorkers {
  readonly #workers: readonly Pick<WatchedWorker, "state">[];
  readonly #places: Places;

  /** The workers by number, the first at 0. */
  constructor(workers: readonly Pick<WatchedWorker, "state">[], places: Places) {
    this.#workers = workers;
    this.#places = places;
  }

  has(number: number): boolean {
    const worker = this.#workers[number - 1];
    return worker !== undefined && worker.state !== "answers";
  }

  /** Whether the points of an experiment are known to be on one of them. */
  hasPointsOf(experimentId: string): boolean {
    return this.has(this.#places.kept(experimentId) ?? 0);
  }

  get numbers(): number[] {
    return this.#workers.flatMap(({ state }, at) => (state === "answers" ? [] : [at + 1]));
  }
}

/**
 * SQL behind other conditions: the server, an expression, is none of these. Empty where all answer.
 */
export function andAnswers(away: AwayWorkers | undefined, server: string): string {
  const numbers = away?.numbers ?? [];
  return numbers.length === 0 ? "" : ` AND ${server} NOT IN (${numbers.join()})`;
}
