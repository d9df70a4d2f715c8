import { type Database, DatabaseError, type ReadBounds, type Reader } from "../database.ts";

/**
 * The reads of a worker. Once one has failed because the worker does not answer, one read at a time
 * tries it again, and the others are refused at once: each would wait for its connection with one
 * of the directory in hand, which reads of other experiments need.
 */
export class GuardedReads {
  readonly #database: Pick<Database, "read">;
  #hasFailed = false;
  #isTried = false;

  constructor(database: Pick<Database, "read">) {
    this.#database = database;
  }

  async read<T>(work: (reader: Reader) => Promise<T>, bounds?: ReadBounds): Promise<T> {
    if (this.#hasFailed && this.#isTried)
      throw new DatabaseError("unavailable", "The worker has not answered, and is tried again.");
    this.#isTried = true;
    try {
      return await this.#database.read((reader) => {
        this.#hasFailed = this.#isTried = false;
        return work(reader);
      }, bounds);
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === "unavailable") this.#hasFailed = true;
      throw error;
    } finally {
      if (this.#hasFailed) this.#isTried = false;
    }
  }
}
