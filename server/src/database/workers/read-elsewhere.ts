import { type Database, DatabaseError, type ReadBounds, type Reader } from "../database.ts";
import type { Places } from "./places.ts";

/**
 * The snapshots of workers that one read of the directory opens: each when it is first asked for,
 * all until the read ends. A worker has as many connections for reads as the directory, and a read
 * takes at most one of each, so none waits for another in a circle.
 */
export class ReadElsewhere implements AsyncDisposable {
  readonly #directory: Reader;
  readonly #workers: readonly Pick<Database, "read">[];
  readonly #places: Places;
  readonly #bounds: ReadBounds | undefined;
  readonly #opened = new Map<number, Promise<Reader>>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #running: Promise<void>[] = [];

  constructor(
    directory: Reader,
    workers: readonly Pick<Database, "read">[],
    places: Places,
    bounds: ReadBounds | undefined,
  ) {
    this.#directory = directory;
    this.#workers = workers;
    this.#places = places;
    this.#bounds = bounds;
  }

  async at(experimentId: string): Promise<Reader> {
    const [[reader]] = await this.atEach([experimentId]);
    return reader;
  }

  async atEach(experimentIds: readonly string[]): Promise<[Reader, readonly string[]][]> {
    const places = await this.#places.of((work) => work(this.#directory), experimentIds);
    // An experiment that is gone has no points on any server.
    const byServer = Map.groupBy(experimentIds, (id) => places.get(id) ?? 0);
    const servers = [...byServer].sort(([one], [other]) => one - other);
    const found: [Reader, readonly string[]][] = [];
    for (const [server, ids] of servers) found.push([await this.#reader(server), ids]);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.resolve();
    await Promise.all(this.#running);
  }

  #reader(server: number): Promise<Reader> | Reader {
    if (server === 0) return this.#directory;
    const known = this.#opened.get(server);
    if (known !== undefined) return known;
    const worker = this.#workers[server - 1];
    if (worker === undefined)
      throw new DatabaseError(
        "unavailable",
        `This node knows no worker ${server}; start it again.`,
      );
    const opened = Promise.withResolvers<Reader>();
    this.#opened.set(server, opened.promise);
    const work = async (reader: Reader) => {
      opened.resolve(reader);
      await this.#ended.promise;
    };
    // A statement that failed has told its caller.
    this.#running.push(worker.read(work, this.#bounds).catch(opened.reject));
    return opened.promise;
  }
}
