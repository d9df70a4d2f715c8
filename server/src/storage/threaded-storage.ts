import { lockDirectory, type DirectoryLock } from "../database/lock.ts";
import { ServiceError } from "../ground/errors.ts";
import { Answers } from "./answers.ts";
import { carryError, reviveError } from "./carried-error.ts";
import { EventWrites } from "./event-writes.ts";
import { isLookup } from "./lookups.ts";
import type { FromBackground, FromReader, FromWriter, ThreadSettings } from "./messages.ts";
import type { ReplyBytes } from "../ground/reply-text.ts";
import { refuseLostDatabase } from "./open-drivers.ts";
import { StreamChunks } from "./stream-chunks.ts";
import type { Outcome, SeriesQuery, Storage, Write } from "./storage.ts";
import { StorageThreads } from "./threads.ts";

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

/**
 * Takes the data directory for this process and opens the storage threads, which end with the storage; migrations have
 * run when it resolves. Rejects with DirectoryInUse, DirectoryForeign, NewerFormat or DatabaseError.
 */
export async function openStorage(
  settings: ThreadSettings,
  events: StorageEvents,
  threads = new StorageThreads(),
): Promise<OpenStorage> {
  let lock: DirectoryLock | undefined;
  try {
    if (settings.dataDirectory !== undefined) {
      lock = lockDirectory(settings.dataDirectory);
      for (const sentence of lock.warnings) events.warning(sentence);
      refuseLostDatabase(settings.dataDirectory);
    }
    const storage = new ThreadedStorage(events, lock, threads);
    await storage.start(settings);
    return storage;
  } catch (error) {
    await threads.close();
    lock?.[Symbol.dispose]();
    throw error;
  }
}

class ThreadedStorage implements OpenStorage {
  hashSeed: Uint32Array = new Uint32Array(4);
  private readonly events: StorageEvents;
  private readonly lock: DirectoryLock | undefined;
  private readonly threads: StorageThreads;
  /** Requests of this turn of the event loop: they cross to the writer in one message. */
  private gathered: { id: number; writes: Write[] }[] = [];
  private readonly answers = new Answers();
  private readonly eventWrites = new EventWrites();
  private readonly streams = new Map<number, StreamChunks>();
  /** Closing: nothing new is written. Ended: nobody answers any more. */
  private state: "open" | "closing" | "ended" = "open";

  constructor(events: StorageEvents, lock: DirectoryLock | undefined, threads: StorageThreads) {
    this.events = events;
    this.lock = lock;
    this.threads = threads;
  }

  async start(settings: ThreadSettings): Promise<void> {
    const fatal = (error: Error) => this.fail(error);
    const { writer, lookups, reader, background } = this.threads;
    const { installation } = await writer.open(
      settings,
      (message) => this.fromWriter(message),
      fatal,
    );
    this.hashSeed = installation.hashSeed;
    // All of them have to be settled: what fails is told once, and closes those that are open.
    const opened = await Promise.allSettled([
      lookups.open(settings, (message) => this.fromReader(message), fatal),
      reader.open(settings, (message) => this.fromReader(message), fatal),
      background.open(settings, (message) => this.fromBackground(message), fatal),
    ]);
    for (const one of opened) if (one.status === "rejected") throw one.reason;
  }

  async write(writes: Write[]): Promise<Outcome[]> {
    if (this.state !== "open") throw stopping();
    const { id, answer } = this.answers.expect<Outcome[]>();
    if (this.gathered.length === 0) setImmediate(() => this.sendGathered());
    this.gathered.push({ id, writes });
    this.eventWrites.add(writes, answer);
    return answer;
  }

  async read(name: string, input: unknown): Promise<never> {
    await this.eventWrites.before(name, input);
    const thread = isLookup(name) ? this.threads.lookups : this.threads.reader;
    return this.ask<never>((id) => thread.send({ type: "read", id, name, input }));
  }

  async readReply(name: string, input: unknown, bytes: ReplyBytes): Promise<Uint8Array[]> {
    await this.eventWrites.before(name, input);
    const thread = isLookup(name) ? this.threads.lookups : this.threads.reader;
    return this.ask((id) => thread.send({ type: "reply", id, name, input, bytes }));
  }

  async stream(query: SeriesQuery): Promise<AsyncIterable<Uint8Array>> {
    const id = await this.ask<number>((number) =>
      this.threads.reader.send({ type: "stream", id: number, query }),
    );
    const chunks = new StreamChunks(
      () => this.threads.reader.send({ type: "pull", id }),
      (finished) => {
        this.streams.delete(id);
        if (!finished) this.threads.reader.send({ type: "cancel", id });
      },
    );
    this.streams.set(id, chunks);
    return chunks;
  }

  async statistics(): Promise<Record<string, number>> {
    const figures: Record<string, number> = {};
    const { writer, reader, lookups, background } = this.threads;
    for (const [name, thread] of Object.entries({ writer, reader, lookups, background })) {
      const send = (id: number) => thread.send({ type: "statistics", id });
      const answer = await this.ask<Record<string, number>>(send);
      for (const [key, value] of Object.entries(answer)) figures[`${name}_${key}`] = value;
    }
    return figures;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sendGathered();
    this.state = "closing";
    await this.threads.close();
    this.end(stopping());
    this.lock?.[Symbol.dispose]();
  }

  private async ask<Answer>(send: (id: number) => void): Promise<Answer> {
    if (this.state === "ended") throw stopping();
    const { id, answer } = this.answers.expect<Answer>();
    send(id);
    return answer;
  }

  private sendGathered(): void {
    if (this.gathered.length === 0) return;
    const requests = this.gathered;
    this.gathered = [];
    const transfer: ArrayBuffer[] = [];
    for (const { writes } of requests) {
      for (const write of writes) if (write.kind === "metrics") transfer.push(write.points.columns);
    }
    this.threads.writer.send({ type: "writes", requests }, transfer);
  }

  private fromWriter(message: FromWriter): void {
    switch (message.type) {
      case "done":
        for (const answer of message.answers) {
          if ("error" in answer) this.answers.reject(answer.id, reviveError(answer.error));
          else this.answers.resolve(answer.id, answer.outcomes);
        }
        break;
      case "unsealed":
        this.threads.background.send({ type: "unsealed", experimentIds: message.experimentIds });
        break;
      case "warning":
        this.events.warning(message.message, reviveError(message.error));
        break;
      case "statistics":
        this.answers.resolve(message.id, message.figures);
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
        this.answers.resolve(message.id, message.value);
        break;
      case "reply":
        this.answers.resolve(message.id, message.pieces);
        break;
      case "opened":
        this.answers.resolve(message.id, message.id);
        break;
      case "error":
        this.answers.reject(message.id, reviveError(message.error));
        break;
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
        this.answers.resolve(message.id, message.figures);
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
            this.threads.background.send({ type: "written", id: message.id, outcome: outcome! }),
          (error: unknown) => {
            const outcome = { kind: "failed", error: carryError(error) } as const;
            this.threads.background.send({ type: "written", id: message.id, outcome });
          },
        );
        break;
      case "warning":
        this.events.warning(message.message, reviveError(message.error));
        break;
      case "statistics":
        this.answers.resolve(message.id, message.figures);
        break;
      case "ready":
      case "fatal":
      case "closed":
        break;
    }
  }

  /** Also while closing: a failed fsync then must not end with exit code 0. */
  private fail(error: Error): void {
    if (this.state === "ended") return;
    this.events.fatal(error);
    this.end(
      new ServiceError("storage_unavailable", "Storage has failed; the service is stopping."),
    );
  }

  private end(refusal: ServiceError): void {
    this.state = "ended";
    this.answers.rejectAll(refusal);
    for (const stream of this.streams.values()) stream.fail(refusal);
  }
}

function stopping(): ServiceError {
  return new ServiceError("storage_unavailable", "The service is stopping.");
}
