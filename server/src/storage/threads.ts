import { Worker } from "node:worker_threads";
import { reviveError } from "./carried-error.ts";
import type { CarriedError } from "./messages.ts";

/** Messages that every storage thread sends at the start and the end of its life. */
type Life = { type: "ready" } | { type: "closed" } | { type: "fatal"; error: CarriedError };

/**
 * Most of what a storage thread allocates are buffers outside of the heap, so it needs few young objects; the
 * default would be 48 MB a thread.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** One storage thread, seen from the main thread. */
export class StorageThread<To> {
  private readonly worker: Worker;
  private readonly closed: Promise<void>;
  private closing = false;

  private constructor(worker: Worker, onFatal: (error: Error) => void) {
    this.worker = worker;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    worker.on("message", (message: Life) => {
      if (message.type === "closed") resolve();
      if (message.type === "fatal") onFatal(reviveError(message.error));
    });
    worker.on("error", onFatal);
    worker.on("exit", () => {
      if (!this.closing) onFatal(new Error("BUG: a storage thread ended by itself"));
      resolve();
    });
  }

  /** Starts the thread and waits until it is ready; `ready` is its own first message. */
  static async start<To, From extends { type: string }>(
    file: URL,
    settings: unknown,
    onMessage: (message: From) => void,
    onFatal: (error: Error) => void,
  ): Promise<{ thread: StorageThread<To>; ready: From }> {
    const started = Promise.withResolvers<From>();
    let isReady = false;
    const worker = new Worker(file, { workerData: settings, resourceLimits });
    const thread = new StorageThread<To>(worker, (error) => {
      if (isReady) onFatal(error);
      else started.reject(error);
    });
    worker.on("message", (message: From) => {
      if (message.type === "ready") {
        isReady = true;
        started.resolve(message);
      } else onMessage(message);
    });
    try {
      return { thread, ready: await started.promise };
    } catch (error) {
      thread.closing = true;
      await worker.terminate();
      throw error;
    }
  }

  send(message: To, transfer: ArrayBuffer[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  /** Lets the thread end its work; at most `deadlineMs`, then it is stopped. */
  async close(message: To, deadlineMs: number): Promise<void> {
    this.closing = true;
    this.send(message);
    const timer = setTimeout(() => void this.worker.terminate(), deadlineMs);
    await this.closed;
    clearTimeout(timer);
    await this.worker.terminate();
  }
}
