import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

/** The neighbour's results for one kind of request, each on a connection of its own. */
export interface SeenOfKind {
  latenciesMs: number[];
  /** Whatever was not a whole, successful answer. */
  failures: string[];
}

/** By kind: read, write, stream, table, chart, list, search, health. */
export type Seen = Record<string, SeenOfKind>;

export interface NeighbourSetup {
  baseUrl: string;
  key: string;
  pauseMs: number;
}

/** An organization that records and reads a little all the time, beside the one that attacks. */
export class Neighbour implements AsyncDisposable {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  static async start(setup: NeighbourSetup): Promise<Neighbour> {
    const thread = new Worker(new URL("./neighbour-thread.ts", import.meta.url), {
      workerData: setup,
    });
    await once(thread, "message");
    return new Neighbour(thread);
  }

  async during<Result>(work: () => Promise<Result>): Promise<{ result: Result; seen: Seen }> {
    await this.#take();
    const result = await work();
    return { result, seen: await this.#take() };
  }

  /** How it is without anybody else. */
  async alone(forMs: number): Promise<Seen> {
    return (await this.during(() => sleep(forMs))).seen;
  }

  async #take(): Promise<Seen> {
    const answer = once(this.#thread, "message");
    this.#thread.postMessage("take");
    const [seen] = await answer;
    return seen as Seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#thread, "exit");
    this.#thread.postMessage("stop");
    await ended;
  }
}
