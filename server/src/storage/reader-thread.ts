import { parentPort } from "node:worker_threads";
import type { Database } from "../database/database.ts";
import { Snapshots } from "../points/snapshots.ts";
import { carryError } from "./carried-error.ts";
import { givenSettings } from "./given-settings.ts";
import { readInstallation } from "./installation.ts";
import { memoryFigures } from "./memory-figures.ts";
import type { FromReader, ToReader } from "./messages.ts";
import { openDatabase } from "./open-database.ts";
import { openBucket } from "./open-drivers.ts";
import { OpenStreams } from "./open-streams.ts";
import { readOperations, replyOperations, type ReadContext } from "./operations.ts";
import { Reads } from "./reads.ts";

/** The reader thread: domain reads and series streams, on snapshots; it never writes. */

const port = parentPort!;
const settings = await givenSettings();
const tell = (message: FromReader, transfer: ArrayBuffer[] = []) =>
  port.postMessage(message, transfer);

/**
 * As many long reads as HTTP lets run at once (--max-reads), and one for streams that begin; beyond it they wait in
 * line here. One more is for objects on PostgreSQL, see openPostgres.
 */
const connectionsMax = 6;

async function start(): Promise<void> {
  const database = await openDatabase(settings, "read", connectionsMax);
  const { revisionJump } = await database.read(readInstallation);
  const snapshots = new Snapshots(await openBucket(settings, database));
  const reads = new Reads<ReadContext>({
    database,
    reads: readOperations,
    replies: replyOperations,
    context: () => ({ nowMs: Date.now(), revisionJump, snapshots }),
    tell,
  });
  const thread = new ReaderThread(database, reads, new OpenStreams(database, snapshots));
  port.on("message", (message: ToReader) => void thread.take(message));
  tell({ type: "ready" });
}

class ReaderThread {
  private readonly database: Database;
  private readonly reads: Reads<ReadContext>;
  private readonly streams: OpenStreams;
  private openedStreams = 0;

  constructor(database: Database, reads: Reads<ReadContext>, streams: OpenStreams) {
    this.database = database;
    this.reads = reads;
    this.streams = streams;
  }

  async take(message: ToReader): Promise<void> {
    switch (message.type) {
      case "read":
      case "reply":
        return this.reads.take(message);
      case "stream":
        this.openedStreams++;
        return this.reads.answer(message.id, async () => {
          await this.streams.open(message.id, message.query);
          tell({ type: "opened", id: message.id });
        });
      case "pull":
        return this.pull(message.id);
      case "cancel":
        return this.streams.cancel(message.id);
      case "statistics": {
        const streams = { streams: this.openedStreams, open_streams: this.streams.count };
        const figures = { ...this.reads.figures, ...streams, ...memoryFigures() };
        return tell({ type: "statistics", id: message.id, figures });
      }
      case "close":
        await this.streams.closeAll();
        await this.database[Symbol.asyncDispose]();
        tell({ type: "closed" });
        return port.close();
    }
  }

  private async pull(id: number): Promise<void> {
    const chunk = await this.streams.pull(id);
    if (chunk === undefined) return;
    const { bytes, last, error } = chunk;
    tell({ type: "chunk", id, bytes, last }, [bytes.buffer as ArrayBuffer]);
    if (error !== undefined) tell({ type: "streamFailed", error: this.reads.readable(error) });
  }
}

// At the end: the classes above exist only from here on.
try {
  await start();
} catch (error) {
  tell({ type: "fatal", error: carryError(error) });
}
