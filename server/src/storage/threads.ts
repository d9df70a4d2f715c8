import { Worker } from "node:worker_threads";
import { reviveError } from "./carried-error.ts";
import type {
  CarriedError,
  FromBackground,
  FromLookups,
  FromReader,
  FromWriter,
  ThreadSettings,
  ToBackground,
  ToLookups,
  ToReader,
  ToWriter,
} from "./messages.ts";

type Ready<From> = Extract<From, { type: "ready" }>;
/** Messages that every storage thread sends at the start and the end of its life. */
type Life = { type: "ready" } | { type: "closed" } | { type: "fatal"; error: CarriedError };

/**
 * Most of what a storage thread allocates are buffers outside of the heap, so it needs few young objects; the
 * default would be 48 MB a thread.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** One storage thread, seen from the main thread. It loads its code at once, and touches nothing before it is opened. */
export class StorageThread<To, From extends { type: string }> {
  private readonly worker: Worker;
  private readonly started = Promise.withResolvers<Ready<From>>();
  private readonly closed = Promise.withResolvers<void>();
  private onMessage: (message: From) => void = () => undefined;
  private onFatal: (error: Error) => void;
  private isOpen = false;
  private closing = false;

  constructor(file: string) {
    this.worker = new Worker(new URL(file, import.meta.url), { resourceLimits });
    // What goes wrong before `open` is told by `open`.
    this.started.promise.catch(() => undefined);
    this.onFatal = this.started.reject;
    this.worker.on("message", (message: Life & From) => this.take(message));
    this.worker.on("error", (error: Error) => this.onFatal(error));
    this.worker.on("exit", () => {
      if (!this.closing) this.onFatal(new Error("BUG: a storage thread ended by itself"));
      this.closed.resolve();
    });
  }

  /** Resolves with the thread's own first message when it is ready; when it cannot be, it has ended. */
  async open(
    settings: ThreadSettings,
    onMessage: (message: From) => void,
    onFatal: (error: Error) => void,
  ): Promise<Ready<From>> {
    this.onMessage = onMessage;
    this.onFatal = (error) => (this.isOpen ? onFatal(error) : this.started.reject(error));
    this.worker.postMessage(settings);
    try {
      return await this.started.promise;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  send(message: To, transfer: ArrayBuffer[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  /** Lets the thread end its work; at most `deadlineMs`, then it is stopped. */
  async close(message: To, deadlineMs: number): Promise<void> {
    if (!this.isOpen || this.closing) return this.end();
    this.closing = true;
    this.send(message);
    const timer = setTimeout(() => void this.worker.terminate(), deadlineMs);
    await this.closed.promise;
    clearTimeout(timer);
    await this.worker.terminate();
  }

  private take(message: Life & From): void {
    if (message.type === "closed") this.closed.resolve();
    if (message.type === "fatal") this.onFatal(reviveError(message.error));
    if (message.type === "ready") {
      this.isOpen = true;
      this.started.resolve(message as Ready<From>);
    } else this.onMessage(message);
  }

  private async end(): Promise<void> {
    this.closing = true;
    await this.worker.terminate();
  }
}

/** The four of them, which load side by side, and beside the main thread. */
export class StorageThreads {
  readonly writer = new StorageThread<ToWriter, FromWriter>("./writer-thread.ts");
  readonly lookups = new StorageThread<ToLookups, FromLookups>("./lookup-thread.ts");
  readonly reader = new StorageThread<ToReader, FromReader>("./reader-thread.ts");
  readonly background = new StorageThread<ToBackground, FromBackground>("./background-thread.ts");

  /** The background thread writes through the writer, and readers may still be answering: the writer goes last. */
  async close(): Promise<void> {
    await this.background.close({ type: "close" }, closeDeadlineMs);
    await this.lookups.close({ type: "close" }, closeDeadlineMs);
    await this.reader.close({ type: "close" }, closeDeadlineMs);
    await this.writer.close({ type: "close" }, closeDeadlineMs);
  }
}

/** How long a thread may take to end its work when the service stops. */
const closeDeadlineMs = 20_000;
