import { parentPort } from "node:worker_threads";
import type { Database } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { ServiceError } from "../ground/errors.ts";
import { ExperimentLogs } from "../points/experiment-logs.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import type {
  Installation,
  MainCalls,
  WorkNotices,
  ThreadSettings,
  WriterCalls,
  Writing,
} from "./calls.ts";
import { carryError } from "./carried-error.ts";
import { claimSegments } from "./claim-segments.ts";
import { FreeDisk } from "./free-disk.ts";
import {
  GroupCommit,
  releasePoints,
  type WriteAnswer,
  type WriteOperation,
  type WriteRequest,
} from "./group-commit.ts";
import { readInstallation } from "./installation.ts";
import { memoryFigures } from "./memory-figures.ts";
import { openDatabase } from "./open-database.ts";
import { openBucket } from "./open-drivers.ts";
import { writeOperations } from "./operations.ts";
import type { Outcome, Write } from "./storage.ts";
import { ThreadCalls } from "./thread-calls.ts";

/** The writer thread: the only one that changes anything. See group-commit.ts for how. */

/** The two ends that ask for writes. */
interface Askers {
  main: ThreadCalls<MainCalls, WriterCalls>;
  background: ThreadCalls<WorkNotices, Writing>;
}

/** `begin` as in Served: it waits for the group before its own. */
type Waiting = WriteRequest &
  Omit<PromiseWithResolvers<Outcome[]>, "promise"> & { begin: (() => void) | undefined };

class Writer {
  readonly #askers: Askers;
  readonly #settings: ThreadSettings;
  readonly #logs: ExperimentLogs;
  readonly #groups: GroupCommit;
  readonly #freeDisk: FreeDisk;
  readonly #queue: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(
    askers: Askers,
    settings: ThreadSettings,
    { database, logs }: { database: Database; logs: ExperimentLogs },
  ) {
    this.#askers = askers;
    this.#settings = settings;
    this.#logs = logs;
    const operations = writeOperations as Record<string, WriteOperation>;
    this.#groups = new GroupCommit(database, logs, operations, Date.now, (message, error) =>
      askers.main.tell("warning", { message, error: carryError(error) }),
    );
    const { diskReserveBytes, dataDirectory } = settings;
    this.#freeDisk = new FreeDisk(diskReserveBytes > 0 ? dataDirectory : undefined);
  }

  get statistics(): Record<string, number> {
    return { ...this.#groups.statistics, queued: this.#queue.length };
  }

  write(writes: Write[], begin?: () => void): Promise<Outcome[]> {
    const { promise, ...waiting } = Promise.withResolvers<Outcome[]>();
    this.#queue.push({ writes, begin, ...waiting });
    this.#running ??= this.#run().catch((error: unknown) =>
      this.#askers.main.tell("fatal", carryError(error)),
    );
    return promise;
  }

  /** Resolves when nothing waits any more. */
  async end(): Promise<void> {
    await this.#running;
  }

  /**
   * Commits groups until no write waits. Rejects when storage has failed: no further write may be
   * acknowledged.
   */
  async #run(): Promise<void> {
    const { main, background } = this.#askers;
    // Writes that arrive in one message make one group.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      if (this.#freeDisk.bytes < this.#settings.diskReserveBytes) this.#refuseWaiting();
      const group = this.#groups.take(this.#queue);
      for (const { begin } of group) begin?.();
      settle(group, await this.#groups.commit(group));
      releasePoints(group);
      const unsealed = this.#logs.takeUnsealed();
      if (unsealed.length > 0) background.tell("unsealed", unsealed);
      if (group.some((request) => this.#groups.isFlagged(request, "wakes")))
        background.tell("purgeAsked", undefined);
      // The answers leave before the next group begins.
      await Promise.resolve();
      for (const asker of [main, background]) {
        asker.flush();
        // Writes that arrived meanwhile make the next group, without a turn of the event loop.
        asker.takeArrived();
      }
    }
    this.#running = undefined;
  }

  #refuseWaiting(): void {
    const isOurs = (request: WriteRequest) => this.#groups.isWholly(request, "onFullDisk");
    const refused = this.#queue.filter((request) => !isOurs(request));
    const kept = this.#queue.filter(isOurs);
    this.#queue.splice(0, this.#queue.length, ...kept);
    const error = new ServiceError(
      "storage_full",
      "The disk is nearly full, so nothing is written any more. Free some space and send again.",
    );
    for (const { reject } of refused) reject(error);
  }
}

function settle(group: Waiting[], answers: WriteAnswer[]): void {
  for (const [index, answer] of answers.entries()) {
    const { resolve, reject } = group[index];
    if ("error" in answer) reject(answer.error);
    else resolve(answer.outcomes);
  }
}

// At the end: the class above exists only from here on.
const main = new ThreadCalls<MainCalls, WriterCalls>(parentPort!);
main.serve({
  async open({ settings, background: port }): Promise<Installation> {
    const database = await openDatabase(settings, "write");
    await migrate(database);
    const installation = await database.read(readInstallation);
    await claimSegments(settings, database, installation.hashSeed);
    const logs = new ExperimentLogs({
      bucket: await openBucket(settings, database),
      hasher: new IdentifierHasher(installation.hashSeed),
      seriesPerExperiment: settings.seriesPerExperiment,
      sealPoints: settings.sealPoints,
    });
    const background = new ThreadCalls<WorkNotices, Writing>(port);
    const writer = new Writer({ main, background }, settings, { database, logs });
    const write = (writes: Write[], _signal?: AbortSignal, begin?: () => void) =>
      writer.write(writes, begin);
    background.serve({ write });
    main.serve({
      write,
      statistics: () => ({ ...writer.statistics, ...memoryFigures() }),
      async close() {
        await writer.end();
        await database[Symbol.asyncDispose]();
      },
    });
    return installation;
  },
});
