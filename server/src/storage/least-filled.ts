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
  readonly #bytes: (number | undefined)[];
  #turn = 0;
  #askedAtMs = -Infinity;
  readonly #isHeldUp: (at: number) => boolean;

  /** `isHeldUp` says whether the writes of a worker wait, by its place in the list. */
  constructor(
    workers: readonly Asked[],
    warn: (message: string, error: Error) => void,
    isHeldUp: (at: number) => boolean = () => false,
  ) {
    this.#workers = workers;
    this.#warn = warn;
    this.#isHeldUp = isHeldUp;
    this.#bytes = workers.map(() => 0);
  }

  /** Returns a worker's number. One that did not answer gets none while another does. */
  choose(): number {
    this.#askSometimes();
    const all = this.#bytes.map((bytes, at) =>
      this.#isAway(at) || this.#isHeldUp(at) ? undefined : bytes,
    );
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
