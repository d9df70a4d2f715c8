import {
  type Database,
  DatabaseError,
  type ReadBounds,
  type Reader,
  type Transaction,
  type WorkerState,
} from "../database.ts";
import type { PostgresDatabase } from "../postgres.ts";

const askEveryMs = 1_000;
/** Turns without an answer after which a worker is away. A thread that is busy has no turns. */
const silentTurns = 5;
/** Time for which nothing is written to a worker that reported damage; then it is tried again. */
const damagedMs = 10_000;

type Watched = Pick<PostgresDatabase, "read" | "write" | "inner" | "cut">;

/**
 * A worker, as a thread uses it: from the first use it is asked every second whether it answers.
 * While it does not, everything is refused at once, and what waits for it is cut off: it would hold
 * connections of the directory, and turns of what is done one after the other, which others need.
 */
export class WatchedWorker implements Database {
  readonly #worker: Watched;
  readonly #name: string;
  readonly #changed: (state: WorkerState, error: Error | undefined) => void;
  /** Why it is away. */
  #failure: DatabaseError | undefined;
  #damagedUntilMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isAsked = false;
  #turnsWithout = 0;

  /** `name` is its address for messages. `changed` is called with its new state. */
  constructor(
    worker: Watched,
    name: string,
    changed: (state: WorkerState, error: Error | undefined) => void = () => undefined,
  ) {
    this.#worker = worker;
    this.#name = name;
    this.#changed = changed;
  }

  get state(): WorkerState {
    if (this.#failure !== undefined) return "away";
    return performance.now() < this.#damagedUntilMs ? "damaged" : "answers";
  }

  async read<T>(work: (reader: Reader) => Promise<T>, bounds?: ReadBounds): Promise<T> {
    this.#requireAnswers();
    return this.#told(this.#worker.read(work, bounds));
  }

  async write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    this.#requireAnswers();
    if (this.state === "damaged")
      throw new DatabaseError("damaged", `The worker at ${this.#name} reported damage.`);
    return this.#told(this.#worker.write(work));
  }

  /** Begins to ask it, if nobody has used it yet. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#turn(), askEveryMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    // A silent one would have its connections wait.
    if (this.#failure !== undefined || this.#turnsWithout > 0) this.#worker.cut();
  }

  #requireAnswers(): void {
    this.watch();
    if (this.#failure === undefined) return;
    const sentence = `The worker at ${this.#name} does not answer, and is tried again.`;
    throw new DatabaseError("unavailable", sentence, this.#failure);
  }

  #turn(): void {
    if (!this.#isAsked) return void this.#ask();
    if (++this.#turnsWithout < silentTurns) return;
    this.#turnsWithout = 0;
    this.#note(new DatabaseError("unavailable", `The worker at ${this.#name} is silent.`));
    this.#worker.cut();
  }

  async #ask(): Promise<void> {
    this.#isAsked = true;
    this.#turnsWithout = 0;
    try {
      await this.#worker.inner.read(async () => undefined);
      this.#note(undefined);
    } catch (error) {
      this.#note(error as DatabaseError);
    } finally {
      this.#isAsked = false;
    }
  }

  #note(failure: DatabaseError | undefined): void {
    const was = this.state;
    // The first of several failures says most: the next ones are of what was cut off.
    this.#failure = failure && (this.#failure ?? failure);
    if (this.state !== was) this.#changed(this.state, failure);
  }

  async #told<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === "damaged") this.#noteDamage(error);
      throw error;
    }
  }

  #noteDamage(error: DatabaseError): void {
    const isKnown = this.state === "damaged";
    this.#damagedUntilMs = performance.now() + damagedMs;
    if (!isKnown) this.#changed("damaged", error);
  }
}
