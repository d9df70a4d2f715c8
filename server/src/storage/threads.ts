import { getHeapStatistics } from "node:v8";
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import type {
  BackgroundCalls,
  Installation,
  MainCalls,
  ReaderCalls,
  ThreadLife,
  ThreadSettings,
  WriterCalls,
} from "./calls.ts";
import type { Round } from "./background/rounds.ts";
import { sourceBeside } from "../ground/source-beside.ts";
import { reviveError } from "./carried-error.ts";
import type { Outcome, Write } from "./storage.ts";
import { ThreadCalls, type CallsOf, type Timing } from "./thread-calls.ts";

export interface StorageEvents {
  /**
   * Storage cannot go on (failed fsync, corruption, a defect): stop the process, acknowledge
   * nothing more.
   */
  fatal(error: Error): void;
  /**
   * Something for the operator: background work that failed and is tried again, a directory that
   * was too open.
   */
  warning(message: string, error?: Error): void;
  /** Reports a round of background work, with tracing. */
  worked?(round: Round): void;
  /** Receiver of the times of a thread's calls. */
  timing?: Timing | undefined;
  /** Writes are on stable storage, and about to be answered. */
  acknowledged?(writes: readonly Write[], outcomes: readonly Outcome[]): void;
}

/**
 * Most allocations of a storage thread are buffers outside of the heap, so it needs few young
 * objects; the default would be 48 MB a thread. Old objects are kept below 2 GiB: V8 lets a larger
 * heap, its default on large machines alone, gather twice as much garbage.
 */
const resourceLimits = {
  maxYoungGenerationSizeMb: 12,
  maxOldGenerationSizeMb: Math.min(2_000, getHeapStatistics().heap_size_limit / 2 ** 20),
};
/** Time that a thread may take to end its work when the service stops. */
const closeDeadlineMs = 20_000;

type Life<Calls> = Calls extends ThreadLife<infer Given, infer Opened> ? [Given, Opened] : never;

/**
 * One storage thread, seen from the main thread. It loads its code at once, and touches nothing
 * before it is opened.
 */
export class StorageThread<Calls extends ThreadLife<never, unknown> & CallsOf<Calls>> {
  readonly calls: ThreadCalls<Calls, MainCalls>;
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<void>();
  readonly #died = Promise.withResolvers<never>();
  #warn: StorageEvents["warning"] = () => undefined;
  #state: "new" | "open" | "closing" = "new";

  /** `gather` as in ThreadCalls. */
  constructor(file: string, gather?: (send: () => void) => void) {
    this.#worker = new Worker(sourceBeside(file, import.meta.url), { resourceLimits });
    this.calls = new ThreadCalls(this.#worker, gather);
    // Failures before `open` are reported by `open`.
    this.#died.promise.catch(() => undefined);
    this.#worker.on("error", (error: Error) => this.#died.reject(error));
    this.#worker.on("exit", () => {
      this.#died.reject(new Error("BUG: a storage thread ended by itself"));
      this.#ended.resolve();
    });
  }

  /** Resolves with the thread's own answer when it is ready; when it cannot be, it has ended. */
  async open(
    given: Life<Calls>[0],
    events: StorageEvents,
    transfer: MessagePort[] = [],
  ): Promise<Life<Calls>[1]> {
    this.#warn = (message, error) => events.warning(message, error);
    this.calls.serve({
      warning: ({ message, error }) => this.#warn(message, reviveError(error)),
      fatal: (error) => events.fatal(reviveError(error)),
      worked: (round) => events.worked?.(round),
    });
    try {
      const opened = await Promise.race([
        this.calls.ask("open", given as never, transfer),
        this.#died.promise,
      ]);
      this.#state = "open";
      this.calls.timing = events.timing;
      this.#died.promise.catch((error: Error) => {
        if (this.#state === "open") events.fatal(error);
      });
      return opened;
    } catch (error) {
      await this.#worker.terminate();
      throw error;
    }
  }

  statistics(): Promise<Record<string, number>> {
    return this.calls.ask("statistics", undefined as never) as Promise<Record<string, number>>;
  }

  /** Lets the thread end its work; at most until the deadline, then it is stopped. */
  async close(): Promise<void> {
    if (this.#state === "open") {
      const timer = setTimeout(() => {
        this.#warn(
          `A storage thread takes longer than ${closeDeadlineMs} ms to end; it is stopped.`,
        );
        void this.#worker.terminate();
      }, closeDeadlineMs);
      const closed = this.calls.ask("close", undefined as never).catch((error: Error) => {
        this.#warn("A storage thread did not end its work in order.", error);
      });
      this.#state = "closing";
      await Promise.race([closed, this.#ended.promise]);
      clearTimeout(timer);
    }
    await this.#worker.terminate();
  }
}

/** A reader that starts at first use. One that could not be opened is tried again at the next. */
class LateReader {
  readonly #open: (thread: Reader) => Promise<unknown>;
  #thread: Reader | undefined;
  #opened: Promise<unknown> | undefined;

  constructor(open: (thread: Reader) => Promise<unknown>) {
    this.#open = open;
  }

  /** Undefined before its first use. */
  get thread(): Reader | undefined {
    return this.#thread;
  }

  readonly calls = async (): Promise<Reader["calls"]> => {
    const thread = (this.#thread ??= startReader());
    this.#opened ??= this.#open(thread);
    try {
      await this.#opened;
    } catch (error) {
      if (this.#thread === thread) this.#thread = this.#opened = undefined;
      throw error;
    }
    return thread.calls;
  };
}

type Reader = StorageThread<ReaderCalls>;
const startReader = (): Reader => new StorageThread("./reader-thread.ts");

/**
 * All storage threads. Those of every request load in parallel, and beside the main thread; those
 * of long reads start when a page is opened, or at first use: a service that only records does
 * without their memory.
 */
export class StorageThreads {
  /** The requests of one turn of the event loop cross to it in one message: they make one group. */
  readonly writer = new StorageThread<WriterCalls>("./writer-thread.ts", setImmediate);
  readonly background = new StorageThread<BackgroundCalls>("./background-thread.ts");
  readonly #short = startReader();
  readonly #long: readonly LateReader[];
  readonly #patient = this.#lateReader();
  readonly #readers: number;
  #opened: { settings: ThreadSettings; events: StorageEvents } | undefined;

  constructor(readers = 2) {
    this.#readers = readers;
    this.#long = Array.from({ length: readers - 1 }, () => this.#lateReader());
  }

  /** The writer first, which migrates, then the others at once. */
  async open(settings: ThreadSettings, events: StorageEvents): Promise<Installation> {
    const { port1: background, port2: writer } = new MessageChannel();
    const installation = await this.writer.open({ settings, background }, events, [background]);
    const claimed = { ...settings, workerUrls: installation.workerUrls };
    this.#opened = { settings: claimed, events };
    // All of them have to settle: one failure is reported, and closes the threads that are open.
    const opened = await Promise.allSettled([
      this.#openReader(this.#short, true),
      this.background.open({ settings: claimed, writer }, events, [writer]),
    ]);
    for (const one of opened) if (one.status === "rejected") throw one.reason;
    return installation;
  }

  /** The reader of short reads, those of long ones, and the one for reads that take very long. */
  get readers() {
    return {
      short: this.#short.calls,
      long: this.#long.map(({ calls }) => calls),
      patient: this.#patient.calls,
    };
  }

  /** All readers started. */
  get startedReaders(): readonly Reader[] {
    const late = [...this.#long, this.#patient].flatMap(({ thread }) => thread ?? []);
    return [this.#short, ...late];
  }

  /** Rejects all pending calls. */
  rejectAll(error: Error): void {
    for (const { calls } of this.#all()) calls.rejectAll(error);
  }

  /**
   * Closes all threads. The background thread writes through the writer, and readers may still be
   * replying: the writer goes last.
   */
  async close(): Promise<void> {
    for (const thread of this.#all()) await thread.close();
  }

  #all() {
    return [this.background, ...this.startedReaders, this.writer] as const;
  }

  #lateReader(): LateReader {
    return new LateReader((thread) => this.#openReader(thread, false));
  }

  async #openReader(thread: Reader, isFirst: boolean): Promise<void> {
    const { settings, events } = this.#opened!;
    await thread.open({ settings, readers: this.#readers, isFirst }, events);
  }
}
