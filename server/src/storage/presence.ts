import type { Database, Reader } from "../database/database.ts";
import { checkFormat } from "../database/migrate.ts";
import { forgetNode, type Node, seeNode, seenLatelyMs } from "../database/nodes.ts";
import { workersInUse } from "../database/workers/workers-in-use.ts";
import { NewerFormat } from "../ground/newer-format.ts";
import { ConfigError } from "../settings/options.ts";

/** Keeps saying that this node is at work, until it is disposed. */
export class Presence implements AsyncDisposable {
  readonly #database: Database;
  readonly #node: Node;
  readonly #end: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #saying: Promise<void> = Promise.resolve();

  /**
   * `end` is called when the data was migrated beyond this program, or has workers that it does not
   * know: it was taken for ended, after a pause of the whole machine for instance.
   */
  constructor(database: Database, node: Node, end: (error: Error) => void) {
    this.#database = database;
    this.#node = node;
    this.#end = end;
    this.#timer = setInterval(() => {
      this.#saying = this.#saying.then(() => this.say());
    }, seenLatelyMs / 6);
  }

  /** Outages of the database are reported by requests and background work. */
  async say(): Promise<void> {
    try {
      await this.#database.write(async (transaction) => {
        await checkFormat(transaction);
        await this.#checkWorkers(transaction);
        await seeNode(transaction, this.#node);
      });
    } catch (error) {
      if (error instanceof NewerFormat || error instanceof ConfigError) this.#end(error);
    }
  }

  /** Others have taken this node for ended, and placed experiments where it finds none. */
  async #checkWorkers(reader: Reader): Promise<void> {
    const [known, inUse] = [this.#node.workers ?? 0, await workersInUse(reader)];
    if (inUse <= known) return;
    throw new ConfigError(
      `${inUse} workers are in use, and this node knows ${known}: start it again, with all of them.`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#saying;
    await this.#database
      .write((transaction) => forgetNode(transaction, this.#node.id))
      .catch(() => undefined);
  }
}
