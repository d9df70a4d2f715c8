import { randomUUID } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import { Merger } from "../points/merge.ts";
import { Sealer } from "../points/seal.ts";
import { SegmentSweeper } from "../points/segment-sweeper.ts";
import { BackgroundWork } from "./background-work.ts";
import type { BackgroundCalls, MainCalls, SealNotices, Writing } from "./calls.ts";
import { carryError } from "./carried-error.ts";
import { readInstallation } from "./installation.ts";
import { memoryFigures } from "./memory-figures.ts";
import { openDatabase } from "./open-database.ts";
import { openBucket } from "./open-drivers.ts";
import type { Write } from "./storage.ts";
import { ThreadCalls } from "./thread-calls.ts";

/** The background thread: seals, merges and sweeps. It reads by itself and changes the database through the writer. */

const main = new ThreadCalls<MainCalls, BackgroundCalls>(parentPort!);
main.serve({
  async open({ settings, writer: port }) {
    const database = await openDatabase(settings, "read");
    const bucket = await openBucket(settings, database);
    const { hashSeed } = await database.read(readInstallation);
    const writer = new ThreadCalls<Writing, SealNotices>(port);
    /** Rejects when the write failed, or when it is not known whether it did. */
    const write = async (name: string, input: unknown): Promise<never> => {
      const [outcome] = await writer.ask("write", [{ kind: "call", name, input } as Write]);
      if (outcome?.kind === "value") return outcome.value as never;
      if (outcome?.kind === "error") throw new Error(outcome.message);
      throw new Error(`BUG: outcome of ${name} is ${outcome?.kind}`);
    };
    const tools = { database, bucket, write };
    const work = new BackgroundWork({
      database,
      write,
      sealer: new Sealer(tools, new IdentifierHasher(hashSeed)),
      merger: new Merger(tools),
      sweeper: new SegmentSweeper(tools),
      settings,
      // On SQLite there is one node, and the data directory's lock says so.
      node: settings.databaseUrl === undefined ? undefined : randomUUID(),
      warn: (message, error) => main.tell("warning", { message, error: carryError(error) }),
    });
    const running = work.run().catch((error: unknown) => main.tell("fatal", carryError(error)));
    writer.serve({ unsealed: (experimentIds) => work.notify(experimentIds) });
    main.serve({
      statistics: () => ({ ...work.statistics, ...memoryFigures() }),
      async close() {
        work.stop();
        // A writer that has failed answers nothing.
        writer.rejectAll(new Error("The service is stopping."));
        await running;
        await database[Symbol.asyncDispose]();
      },
    });
  },
});
