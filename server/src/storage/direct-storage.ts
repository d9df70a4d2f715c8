import type { Moment } from "../ground/clock.ts";
import {
  type Database,
  DatabaseError,
  type Reader,
  type Transaction,
} from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import { type Counting, Ledger } from "../database/quotas/ledger.ts";
import { readOperations, type ReadOperations, writeOperations } from "./operations.ts";
import type { Outcome, Write } from "./storage.ts";

type ReadOperation<Result> = (reader: Reader, input: unknown, moment: Moment) => Promise<Result>;
type WriteOperation = (
  transaction: Transaction,
  input: unknown,
  context: Counting,
) => Promise<unknown>;

/** Attempts of a write that another process gets into the way of. */
const attemptsMax = 10;

/** Storage for commands beside a stopped or running service: operations without threads. */
export class DirectStorage {
  readonly #database: Database;
  readonly #clock: () => number;

  constructor(database: Database, clock: () => number) {
    this.#database = database;
    this.#clock = clock;
  }

  async read<Name extends keyof ReadOperations>(
    name: Name,
    input: Parameters<ReadOperations[Name]>[1],
  ): Promise<Awaited<ReturnType<ReadOperations[Name]>>> {
    type Result = Awaited<ReturnType<ReadOperations[Name]>>;
    const operation = readOperations[name] as ReadOperation<Result>;
    const nowMs = this.#clock();
    return this.#database.read((reader) => operation(reader, input, { nowMs }));
  }

  /** Runs each write in a transaction of its own. */
  async write(writes: Write[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const write of writes) {
      if (write.kind === "metrics") throw new Error("BUG: metrics are written by the service only");
      outcomes.push(await this.#call(write.name, write.input));
    }
    return outcomes;
  }

  async #call(name: keyof typeof writeOperations, input: unknown): Promise<Outcome> {
    const operation = writeOperations[name] as WriteOperation;
    const nowMs = this.#clock();
    for (let attempt = 1; ; attempt++) {
      try {
        const value = await this.#database.write(async (transaction) => {
          const ledger = new Ledger(transaction);
          const result = await operation(transaction, input, { nowMs, ledger });
          await ledger.finish(nowMs);
          return result;
        });
        return { kind: "value", value };
      } catch (error) {
        if (error instanceof ServiceError) {
          const { code, message, details } = error;
          return { kind: "error", code, message, details };
        }
        const isConflict = error instanceof DatabaseError && error.kind === "conflict";
        if (!isConflict || attempt >= attemptsMax) throw error;
      }
    }
  }
}
