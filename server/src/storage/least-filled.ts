import type { Database, WorkerState } from "../database/database.ts";

/** Interval at which the workers are asked how much they hold. */
const askEveryMs = 10_000;
/** Workers that hold more than the least one by at most this take turns with it. */
const alikeBytes = 1024 ** 3;
const alikeShare = 1.1;

type Asked = Pick<Database, "read"> & { readonly state?: WorkerState };

/** Chooses the worker of each new experiment: those that hold least take turns. */
export class LeastFilled {
  readonly #workers: readonly Asked[];
  readonly #warn: (message: string, error: Error) => void;
  readonly #inUse: () => Promise<number>;
  readonly #bytes: (number | undefined)[];
  #count = 0;
  #turn = 0;
  #askedAtMs = -Infinity;
  readonly #isHeldUp: (at: number) => boolean;

  /**
   * `inUse` says how many of them all nodes know: others get no experiment yet. `isHeldUp` says
   * whether the writes of a worker wait, by its place in the list.
   */
  constructor(
    workers: readonly Asked[],
    inUse: () => Promise<number>,
    warn: (message: string, error: Error) => void,
    isHeldUp: (at: number) => boolean = () => false,
  ) {
    this.#workers = workers;
    this.#inUse = inUse;
    this.#warn = warn;
    this.#isHeldUp = isHeldUp;
    this.#bytes = workers.map(() => 0);
  }

  /** Has to be awaited before the first choice. */
  async begin(): Promise<void> {
    this.#count = await this.#inUse();
  }

  /**
   * Returns a worker's number, or 0, the directory, while none is in use. One that did not answer
   * gets none while another does.
   */
  choose(): number {
    this.#askSometimes();
    if (this.#count === 0) return 0;
    const all = this.#bytes
      .slice(0, this.#count)
      .map((bytes, at) => (this.#isAway(at) || this.#isHeldUp(at) ? undefined : bytes));
    const known = all.filter((bytes) => bytes !== undefined);
    const least = Math.min(...known);
    const mostBytes = Math.max(least * alikeShare, least + alikeBytes);
    const fitting = all.flatMap((bytes, at) =>
      known.length === 0 || (bytes !== undefined && bytes <= mostBytes) ? [at + 1] : [],
    );
    return fitting[this.#turn++ % fitting.length];
  }

  #isAway(at: number): boolean {
    const { state = "answers" } = this.#workers[at];
    return state !== "answers";
  }

  #askSometimes(): void {
    const nowMs = performance.now();
    if (nowMs - this.#askedAtMs < askEveryMs) return;
    this.#askedAtMs = nowMs;
    if (this.#count < this.#workers.length)
      this.begin().catch((error: unknown) =>
        this.#warn("It is not known which workers all nodes know.", error as Error),
      );
    for (const [at, worker] of this.#workers.entries()) {
      if (this.#isAway(at)) continue;
      worker
        .read((reader) =>
          reader.get<{ bytes: number }>(
            "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes FROM stored_amount WHERE writer >= 0",
          ),
        )
        .then(
          (row) => (this.#bytes[at] = row!.bytes),
          (error: unknown) => {
            this.#bytes[at] = undefined;
            this.#warn(`Worker ${at + 1} does not say how much it holds.`, error as Error);
          },
        );
    }
  }
}
