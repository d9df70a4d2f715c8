import { lockDirectory, type DirectoryLock } from "../database/lock.ts";
import { ServiceError } from "../ground/errors.ts";
import type { ReplyBytes } from "../ground/reply-text.ts";
import type { ThreadSettings } from "./calls.ts";
import { EventWrites } from "./event-writes.ts";
import { refuseLostDatabase } from "./open-drivers.ts";
import { Readers } from "./readers.ts";
import {
  type ExportRead,
  type Outcome,
  type PointsCsvRead,
  pointsOf,
  type SeriesQuery,
  type Storage,
  type TableCsvRead,
  type Write,
} from "./storage.ts";
import { StorageThreads, type StorageEvents } from "./threads.ts";

export interface OpenStorage extends Storage {
  /**
   * Counters of the threads by `<thread>_<name>`, those of the readers summed; names of seconds and
   * bytes contain the unit.
   */
  statistics(): Promise<Record<string, number>>;
  /** The seed with which messageIds are hashed, the same for the whole life of the installation. */
  readonly hashSeed: Uint32Array;
}

/**
 * Takes the data directory for this process and opens the storage threads, which end with the
 * storage; migrations have run when it resolves. Rejects with DirectoryInUse, DirectoryForeign,
 * NewerFormat or DatabaseError.
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
    const storage = new ThreadedStorage(events, lock, threads, settings.databaseUrl === undefined);
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
  readonly #events: StorageEvents;
  readonly #lock: DirectoryLock | undefined;
  readonly #threads: StorageThreads;
  readonly #readers: Readers;
  readonly #eventWrites = new EventWrites();
  /** Closing: no new writes are accepted. Ended: no calls are answered any more. */
  #state: "open" | "closing" | "ended" = "open";

  constructor(
    events: StorageEvents,
    lock: DirectoryLock | undefined,
    threads: StorageThreads,
    isEmbedded: boolean,
  ) {
    this.#events = events;
    this.#lock = lock;
    this.#threads = threads;
    const { short, long, patient } = threads.readers;
    this.#readers = new Readers(short, long, isEmbedded ? patient : undefined);
  }

  async start(settings: ThreadSettings): Promise<void> {
    const { hashSeed } = await this.#threads.open(settings, {
      warning: (message, error) => this.#events.warning(message, error),
      fatal: (error) => this.#fail(error),
      worked: (round) => this.#events.worked?.(round),
      timing: this.#events.timing,
    });
    this.hashSeed = hashSeed;
  }

  async write(writes: Write[]): Promise<Outcome[]> {
    if (this.#state !== "open") throw stopping();
    const columns = writes.flatMap((write) => pointsOf(write)?.columns ?? []);
    const answer = this.#threads.writer.calls.ask("write", writes, columns);
    this.#eventWrites.add(writes, answer);
    const outcomes = await answer;
    this.#events.acknowledged?.(writes, outcomes);
    return outcomes;
  }

  async read(name: string, input: unknown, signal?: AbortSignal): Promise<never> {
    await this.#eventWrites.before(name, input);
    this.#refuseEnded();
    return (await this.#readers.read({ name, input }, signal)) as never;
  }

  async readReply(
    name: string,
    input: unknown,
    bytes: ReplyBytes,
    signal?: AbortSignal,
  ): Promise<Uint8Array[]> {
    await this.#eventWrites.before(name, input);
    this.#refuseEnded();
    return this.#readers.reply({ name, input, bytes }, signal);
  }

  async stream(query: SeriesQuery): Promise<AsyncIterable<Uint8Array>> {
    this.#refuseEnded();
    return this.#readers.stream(query);
  }

  async pointsCsv(query: PointsCsvRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    this.#refuseEnded();
    return this.#readers.pointsCsv(query, signal);
  }

  async tableCsv(query: TableCsvRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    this.#refuseEnded();
    return this.#readers.tableCsv(query, signal);
  }

  async exportFile(query: ExportRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    this.#refuseEnded();
    return this.#readers.exportFile(query, signal);
  }

  expectReads(): void {
    if (this.#state === "open") this.#readers.start();
  }

  async statistics(): Promise<Record<string, number>> {
    this.#refuseEnded();
    const figures: Record<string, number> = {};
    const { writer, startedReaders, background } = this.#threads;
    const named = [
      ["writer", writer],
      ...startedReaders.map((one) => ["reader", one] as const),
      ["background", background],
    ] as const;
    for (const [name, thread] of named) {
      for (const [key, value] of Object.entries(await thread.statistics())) {
        const figure = `${name}_${key}`;
        figures[figure] = (figures[figure] ?? 0) + value;
      }
    }
    return figures;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === "open") this.#state = "closing";
    await this.#threads.close();
    this.#end(stopping());
    this.#lock?.[Symbol.dispose]();
  }

  #refuseEnded(): void {
    if (this.#state === "ended") throw stopping();
  }

  /** Handles a failure, also while closing: a failed fsync then must not end with exit code 0. */
  #fail(error: Error): void {
    if (this.#state === "ended") return;
    this.#events.fatal(error);
    this.#end(
      new ServiceError("storage_unavailable", "Storage has failed; the service is stopping."),
    );
  }

  #end(refusal: ServiceError): void {
    this.#state = "ended";
    this.#threads.rejectAll(refusal);
  }
}

function stopping(): ServiceError {
  return new ServiceError("storage_unavailable", "The service is stopping.");
}
