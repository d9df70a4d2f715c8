import { type ChildProcess, fork, type ForkOptions } from "node:child_process";
import { join } from "node:path";
import type { AtWork } from "./at-work.ts";
import type { EndlessRead } from "./endless-reads.ts";
import type { Message, Order } from "./generator.ts";
import type { Viewing } from "./open-pages.ts";
import type { TransferOrder } from "./transfers.ts";

/** A process of ours that talks by messages; it ends when we do. */
export class Child implements Disposable {
  readonly #process: ChildProcess;

  constructor(file: string, words: string[] = [], options: ForkOptions = {}) {
    const path = join(import.meta.dirname, file);
    this.#process = fork(path, words, { ...options, serialization: "advanced" });
  }

  get processId(): number {
    return this.#process.pid!;
  }

  send(
    message: Order | "go" | TransferOrder | EndlessRead | Viewing | AtWork | "count" | "stop",
  ): void {
    this.#process.send(message);
  }

  next<T>(): Promise<T> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void =>
        reject(new Error(`a process of the bench ended with ${code}`));
      this.#process.once("exit", ended);
      this.#process.once("message", (message) => {
        this.#process.off("exit", ended);
        resolve(message as T);
      });
    });
  }

  [Symbol.dispose](): void {
    this.#process.disconnect();
  }
}

export interface Load {
  eventsPerSecond: number;
  /** CPU seconds of the observed process for a million events. */
  cpuPerMillion: number;
  latenciesMs: number[];
}

/** Has the generator send one order, and watches what it costs `cpu`. */
export async function load(generator: Child, order: Order, cpu: () => number): Promise<Load> {
  generator.send(order);
  await generator.next<Message>();
  const before = cpu();
  const result = generator.next<Message>();
  generator.send("go");
  const done = await result;
  if (done.kind !== "done") throw new Error("BUG: the generator answers out of order");
  return {
    eventsPerSecond: done.events / done.seconds,
    cpuPerMillion: ((cpu() - before) / done.events) * 1e6,
    latenciesMs: done.latenciesMs,
  };
}
