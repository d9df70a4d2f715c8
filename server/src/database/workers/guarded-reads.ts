import type { Database, DatabaseError, ReadBounds, Reader } from "../database.ts";

/**
 * The reads of a worker, refused at once while it is away: each would wait for it with a connection
 * of the directory in hand, which reads of other experiments need.
 */
export class GuardedReads {
  readonly #database: Pick<Database, "read">;
  readonly #refusal: () => DatabaseError | undefined;

  /** `refusal` says why nothing is asked of the worker now. */
  constructor(database: Pick<Database, "read">, refusal: () => DatabaseError | undefined) {
    this.#database = database;
    this.#refusal = refusal;
  }

  async read<T>(work: (reader: Reader) => Promise<T>, bounds?: ReadBounds): Promise<T> {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    return this.#database.read(work, bounds);
  }
}
