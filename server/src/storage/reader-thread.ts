import { parentPort, workerData } from "node:worker_threads";
import type { Database, Reader } from "../database/database.ts";
import { Snapshots } from "../points/snapshots.ts";
import { carryError } from "./carried-error.ts";
import { readInstallation } from "./installation.ts";
import { memoryFigures } from "./memory-figures.ts";
import type { CarriedError, FromReader, ThreadSettings, ToReader } from "./messages.ts";
import { openBucket, openDatabase } from "./open-drivers.ts";
import { OpenStreams } from "./open-streams.ts";
import { readOperations, type ReadContext } from "./operations.ts";
import { isCorruption, publicReadError } from "./read-failure.ts";

/** The reader thread: domain reads and series streams, on snapshots; it never writes. */

const port = parentPort!;
const settings = workerData as ThreadSettings;
const tell = (message: FromReader, transfer: ArrayBuffer[] = []) =>
  port.postMessage(message, transfer);

async function start(): Promise<void> {
  const database = openDatabase(settings, "read");
  const { revisionJump } = await database.read(readInstallation);
  const snapshots = new Snapshots(openBucket(settings, database));
  const reads = new Reads(database, () => ({ nowMs: Date.now(), revisionJump, snapshots }));
  const thread = new ReaderThread(database, reads, new OpenStreams(database, snapshots));
  port.on("message", (message: ToReader) => void thread.take(message));
  tell({ type: "ready" });
}

type ReadOperation = (reader: Reader, input: unknown, context: ReadContext) => Promise<unknown>;

class Reads {
  private readonly database: Database;
  private readonly context: () => ReadContext;

  constructor(database: Database, context: () => ReadContext) {
    this.database = database;
    this.context = context;
  }

  run(name: string, input: unknown): Promise<unknown> {
    const operation = (readOperations as Record<string, ReadOperation>)[name];
    if (operation === undefined) throw new Error(`BUG: no read operation ${name}`);
    return this.database.read((reader) => operation(reader, input, this.context()));
  }
}

class ReaderThread {
  private readonly database: Database;
  private readonly reads: Reads;
  private readonly streams: OpenStreams;
  private readonly figures = { reads: 0, streams: 0, corruptions: 0 };

  constructor(database: Database, reads: Reads, streams: OpenStreams) {
    this.database = database;
    this.reads = reads;
    this.streams = streams;
  }

  async take(message: ToReader): Promise<void> {
    switch (message.type) {
      case "read":
        this.figures.reads++;
        return this.answer(message.id, async () => {
          const value = await this.reads.run(message.name, message.input);
          tell({ type: "value", id: message.id, value });
        });
      case "stream":
        this.figures.streams++;
        return this.answer(message.id, async () => {
          await this.streams.open(message.id, message.query);
          tell({ type: "opened", id: message.id });
        });
      case "pull":
        return this.pull(message.id);
      case "cancel":
        return this.streams.cancel(message.id);
      case "statistics": {
        const figures = { ...this.figures, open_streams: this.streams.count, ...memoryFigures() };
        return tell({ type: "statistics", id: message.id, figures });
      }
      case "close":
        await this.streams.closeAll();
        await this.database[Symbol.asyncDispose]();
        tell({ type: "closed" });
        return port.close();
    }
  }

  private async answer(id: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      tell({ type: "error", id, error: this.readable(error) });
    }
  }

  private async pull(id: number): Promise<void> {
    const chunk = await this.streams.pull(id);
    if (chunk === undefined) return;
    const { bytes, last, error } = chunk;
    tell({ type: "chunk", id, bytes, last }, [bytes.buffer as ArrayBuffer]);
    if (error !== undefined) tell({ type: "streamFailed", error: this.readable(error) });
  }

  private readable(error: unknown): CarriedError {
    if (isCorruption(error)) this.figures.corruptions++;
    return carryError(publicReadError(error));
  }
}

// At the end: the classes above exist only from here on.
try {
  await start();
} catch (error) {
  tell({ type: "fatal", error: carryError(error) });
}
