import { lockDirectory, type DirectoryLock } from "../database/lock.ts";
import { ServiceError } from "../errors.ts";
import { reviveError } from "./carried-error.ts";
import type {
  FromBackground,
  FromReader,
  FromWriter,
  Installation,
  ThreadSettings,
  ToBackground,
  ToReader,
  ToWriter,
} from "./messages.ts";
import { StreamChunks } from "./stream-chunks.ts";
import type { Outcome, SeriesQuery, Storage, Write } from "./storage.ts";
import { StorageThread } from "./threads.ts";

export interface StorageEvents {
  /** Storage cannot go on (failed fsync, corruption, a defect): stop the process, acknowledge nothing more. */
  fatal(error: Error): void;
  /** Something for the operator: background work that failed and is tried again, a directory that was too open. */
  warning(message: string, error?: Error): void;
}

export interface OpenStorage extends Storage {
  /** Counters of the threads by `<thread>_<name>`; seconds and bytes say so in their names. */
  statistics(): Promise<Record<string, number>>;
  /** The seed with which messageIds are hashed, the same for the whole life of the installation. */
  readonly hashSeed: Uint32Array;
}

/** How long a thread may take to end its work when the service stops. */
const closeDeadlineMs = 20_000;

/**
 * Takes the data directory for this process and starts the three storage threads; migrations have run when
 * it resolves. Rejects with DirectoryInUse, DirectoryForeign, NewerFormat or DatabaseError.
 */
export async function openStorage(
  settings: ThreadSettings,
  events: StorageEvents,
): Promise<OpenStorage> {
  const lock =
    settings.dataDirectory === undefined ? undefined : lockDirectory(settings.dataDirectory);
  for (const sentence of lock?.warnings ?? []) events.warning(sentence);
  const storage = new ThreadedStorage(events, lock);
  try {
    await storage.start(settings);
  } catch (error) {
    lock?.[Symbol.dispose]();
    throw error;
  }
  return storage;
}

class ThreadedStorage implements OpenStorage {
  hashSeed: Uint32Array = new Uint32Array(4);
  private readonly events: StorageEvents;
  private readonly lock: DirectoryLock | undefined;
  private writer!: StorageThread<ToWriter>;
  private reader!: StorageThread<ToReader>;
  private background!: StorageThread<ToBackground>;
  private nextId = 1;
  /** Requests of this turn of the event loop: they cross to the writer in one message. */
  private gathered: { id: number; writes: Write[] }[] = [];
  private readonly waitingWrites = new Map<number, PromiseWithResolvers<Outcome[]>>();
  private readonly waitingReads = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly waitingFigures = new Map<number, PromiseWithResolvers<Record<string, number>>>();
  private readonly streams = new Map<number, StreamChunks>();
  private ended = false;

  constructor(events: StorageEvents, lock: DirectoryLock | undefined) {
    this.events = events;
    this.lock = lock;
  }

  async start(settings: ThreadSettings): Promise<void> {
    const fatal = (error: Error) => this.fail(error);
    const file = (name: string) => new URL(name, import.meta.url);
    const writer = await StorageThread.start<ToWriter, FromWriter>(
      file("./writer-thread.ts"),
      settings,
      (message) => this.fromWriter(message),
      fatal,
    );
    this.writer = writer.thread;
    const { installation } = writer.ready as { installation: Installation };
    this.hashSeed = installation.hashSeed;
    try {
      this.reader = (
        await StorageThread.start<ToReader, FromReader>(
          file("./reader-thread.ts"),
          settings,
          (message) => this.fromReader(message),
          fatal,
        )
      ).thread;
      this.background = (
        await StorageThread.start<ToBackground, FromBackground>(
          file("./background-thread.ts"),
          settings,
          (message) => this.fromBackground(message),
          fatal,
        )
      ).thread;
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  write(writes: Write[]): Promise<Outcome[]> {
    const waiting = Promise.withResolvers<Outcome[]>();
    if (this.ended) {
      waiting.reject(new ServiceError("storage_unavailable", "The service is stopping."));
      return waiting.promise;
    }
    const id = this.nextId++;
    this.waitingWrites.set(id, waiting);
    if (this.gathered.length === 0) setImmediate(() => this.sendGathered());
    this.gathered.push({ id, writes });
    return waiting.promise;
  }

  read(name: string, input: unknown): Promise<never> {
    const waiting = Promise.withResolvers<unknown>();
    const id = this.nextId++;
    this.waitingReads.set(id, waiting);
    this.reader.send({ type: "read", id, name, input });
    return waiting.promise as Promise<never>;
  }

  async stream(query: SeriesQuery): Promise<AsyncIterable<Uint8Array>> {
    const waiting = Promise.withResolvers<unknown>();
    const id = this.nextId++;
    this.waitingReads.set(id, waiting);
    this.reader.send({ type: "stream", id, query });
    await waiting.promise;
    const chunks = new StreamChunks(
      () => this.reader.send({ type: "pull", id }),
      (finished) => {
        this.streams.delete(id);
        if (!finished) this.reader.send({ type: "cancel", id });
      },
    );
    this.streams.set(id, chunks);
    return chunks;
  }

  async statistics(): Promise<Record<string, number>> {
    const figures: Record<string, number> = {};
    const threads = { writer: this.writer, reader: this.reader, background: this.background };
    for (const [name, thread] of Object.entries(threads)) {
      const id = this.nextId++;
      const waiting = Promise.withResolvers<Record<string, number>>();
      this.waitingFigures.set(id, waiting);
      thread.send({ type: "statistics", id } as never);
      for (const [key, value] of Object.entries(await waiting.promise))
        figures[`${name}_${key}`] = value;
    }
    return figures;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sendGathered();
    this.ended = true;
    // The background thread writes through the writer, and readers may still be answering: the writer goes last.
    await this.background?.close({ type: "close" }, closeDeadlineMs);
    await this.reader?.close({ type: "close" }, closeDeadlineMs);
    await this.writer?.close({ type: "close" }, closeDeadlineMs);
    this.lock?.[Symbol.dispose]();
  }

  private sendGathered(): void {
    if (this.gathered.length === 0) return;
    const requests = this.gathered;
    this.gathered = [];
    const transfer: ArrayBuffer[] = [];
    for (const { writes } of requests) {
      for (const write of writes) if (write.kind === "metrics") transfer.push(write.points.columns);
    }
    this.writer.send({ type: "writes", requests }, transfer);
  }

  private fromWriter(message: FromWriter): void {
    switch (message.type) {
      case "done":
        for (const answer of message.answers) {
          const waiting = this.waitingWrites.get(answer.id)!;
          this.waitingWrites.delete(answer.id);
          if ("error" in answer) waiting.reject(reviveError(answer.error));
          else waiting.resolve(answer.outcomes);
        }
        break;
      case "unsealed":
        // Before the background thread runs, its own first look finds the same.
        this.background?.send({ type: "unsealed", experimentIds: message.experimentIds });
        break;
      case "statistics":
        this.takeFigures(message);
        break;
      case "ready":
      case "fatal":
      case "closed":
        break;
    }
  }

  private fromReader(message: FromReader): void {
    switch (message.type) {
      case "value":
      case "opened":
      case "error": {
        const waiting = this.waitingReads.get(message.id)!;
        this.waitingReads.delete(message.id);
        if (message.type === "error") waiting.reject(reviveError(message.error));
        else waiting.resolve(message.type === "value" ? message.value : undefined);
        break;
      }
      case "chunk":
        this.streams.get(message.id)?.push(message.bytes, message.last);
        break;
      case "streamFailed":
        this.events.warning(
          "A series stream failed; its reader got an error record.",
          reviveError(message.error),
        );
        break;
      case "statistics":
        this.takeFigures(message);
        break;
      case "ready":
      case "fatal":
      case "closed":
        break;
    }
  }

  private fromBackground(message: FromBackground): void {
    switch (message.type) {
      case "write":
        this.write([message.write]).then(
          ([outcome]) =>
            this.background.send({ type: "written", id: message.id, outcome: outcome! }),
          (error: Error) => {
            const failure = { name: error.name, message: error.message, stack: error.stack };
            this.background.send({
              type: "written",
              id: message.id,
              outcome: { kind: "failed", error: failure },
            });
          },
        );
        break;
      case "warning":
        this.events.warning(message.message, reviveError(message.error));
        break;
      case "statistics":
        this.takeFigures(message);
        break;
      case "ready":
      case "fatal":
      case "closed":
        break;
    }
  }

  private takeFigures({ id, figures }: { id: number; figures: Record<string, number> }): void {
    this.waitingFigures.get(id)?.resolve(figures);
    this.waitingFigures.delete(id);
  }

  private fail(error: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.events.fatal(error);
    const refusal = new ServiceError(
      "storage_unavailable",
      "Storage has failed; the service is stopping.",
    );
    for (const waiting of this.waitingWrites.values()) waiting.reject(refusal);
    for (const waiting of this.waitingReads.values()) waiting.reject(refusal);
    for (const waiting of this.waitingFigures.values()) waiting.reject(refusal);
    for (const stream of this.streams.values()) stream.fail(refusal);
  }
}
