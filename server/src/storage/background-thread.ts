import { randomUUID } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import { Merger } from "../points/merge.ts";
import { Sealer } from "../points/seal.ts";
import { SegmentSweeper } from "../points/segment-sweeper.ts";
import { BackgroundWork } from "./background-work.ts";
import { carryError } from "./carried-error.ts";
import { givenSettings } from "./given-settings.ts";
import { readInstallation } from "./installation.ts";
import { memoryFigures } from "./memory-figures.ts";
import type { FromBackground, ToBackground } from "./messages.ts";
import { openDatabase } from "./open-database.ts";
import { openBucket } from "./open-drivers.ts";
import { WriterCalls } from "./writer-calls.ts";

/** The background thread: seals, merges and sweeps. It reads by itself and changes the database through the writer. */

const port = parentPort!;
const settings = await givenSettings();
const tell = (message: FromBackground) => port.postMessage(message);

try {
  await start();
} catch (error) {
  tell({ type: "fatal", error: carryError(error) });
}

async function start(): Promise<void> {
  const database = await openDatabase(settings, "read");
  const bucket = await openBucket(settings, database);
  const { hashSeed } = await database.read(readInstallation);
  const calls = new WriterCalls(tell);
  const write = (name: string, input: unknown) => calls.write(name, input);
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
    warn: (message, error) => tell({ type: "warning", message, error: carryError(error) }),
  });

  const close = async () => {
    work.stop();
    calls.stop();
    await running;
    await database[Symbol.asyncDispose]();
    tell({ type: "closed" });
    port.close();
  };

  port.on("message", (message: ToBackground) => {
    switch (message.type) {
      case "unsealed":
        work.notify(message.experimentIds);
        break;
      case "written":
        calls.answer(message);
        break;
      case "statistics":
        tell({
          type: "statistics",
          id: message.id,
          figures: { ...work.statistics, ...memoryFigures() },
        });
        break;
      case "close":
        void close();
        break;
    }
  });
  tell({ type: "ready" });
  const running = work
    .run()
    .catch((error: unknown) => tell({ type: "fatal", error: carryError(error) }));
}
