import { Worker } from "node:worker_threads";
import { sourceBeside } from "../../ground/source-beside.ts";
import { type FoldedGroups, type FoldedHow, ShortFold, type ShortLines } from "./short-fold.ts";

/** Lines from which on a thread of its own folds them: fewer take less time than its start. */
const threadLinesMin = 1_000;
/** Batches on their way to the thread: one that it works on, and the next. */
const batchesMax = 2;
/** The thread and its memory are released after this time without work. */
const idleMs = 60_000;
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

export type FoldWork = { request: number } & (
  | { kind: "begin"; how: FoldedHow }
  | { kind: "add"; lines: ShortLines }
  | { kind: "take" | "end" }
);

/** Answer to `add`, and to `take` with all that was folded. */
export interface FoldAnswer {
  request: number;
  folded?: FoldedGroups;
}

/** Short lines of one request on their way into its groups. */
export interface Folding extends Disposable {
  /** Resolves when more may come. The lines' memory is unusable afterwards. */
  add(lines: ShortLines): Promise<void>;
  /** Takes all of them, at the end. */
  take(): Promise<FoldedGroups>;
}

/**
 * Folds short lines in a thread of its own, while the reader's thread reads the next ones: each has
 * about half of the work. The thread begins with the first request that has many lines.
 */
export class FoldThread implements AsyncDisposable {
  readonly #requests = new Map<number, FoldRequest>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextRequest = 1;

  begin(how: FoldedHow, lines: number): Folding {
    if (lines < threadLinesMin) return foldHere(how);
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    // Referenced only while it works: idle, it keeps no process alive.
    worker.ref();
    const number = this.#nextRequest++;
    const request = new FoldRequest(worker, number, () => this.#end(number));
    this.#requests.set(number, request);
    worker.postMessage({ kind: "begin", request: number, how } satisfies FoldWork);
    return request;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    this.#worker?.ref();
    await this.#worker?.terminate();
  }

  #end(request: number): void {
    this.#requests.delete(request);
    if (this.#requests.size > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    }, idleMs).unref();
  }

  #start(): Worker {
    const worker = new Worker(sourceBeside("./fold-thread.ts", import.meta.url), {
      resourceLimits,
    });
    worker.on("message", (answer: FoldAnswer) =>
      this.#requests.get(answer.request)?.answered(answer),
    );
    // The thread is gone with what it had folded; the next request gets another one.
    const onGone = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const request of this.#requests.values()) request.fail(error);
    };
    worker.on("error", onGone);
    worker.on("exit", (code) => onGone(new Error(`the thread that folds ended with ${code}`)));
    return worker;
  }
}

class FoldRequest implements Folding {
  readonly #worker: Worker;
  readonly #number: number;
  readonly #onEnd: () => void;
  #unanswered = 0;
  #room: PromiseWithResolvers<void> | undefined;
  #taken: PromiseWithResolvers<FoldedGroups> | undefined;
  #failure: Error | undefined;

  constructor(worker: Worker, number: number, onEnd: () => void) {
    this.#worker = worker;
    this.#number = number;
    this.#onEnd = onEnd;
  }

  async add(lines: ShortLines): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#unanswered++;
    const buffers = Object.values(lines).map(({ buffer }: ArrayBufferView<ArrayBuffer>) => buffer);
    this.#send({ kind: "add", request: this.#number, lines }, buffers);
    if (this.#unanswered < batchesMax) return;
    this.#room = Promise.withResolvers();
    await this.#room.promise;
  }

  async take(): Promise<FoldedGroups> {
    if (this.#failure) throw this.#failure;
    this.#taken = Promise.withResolvers();
    this.#send({ kind: "take", request: this.#number });
    return this.#taken.promise;
  }

  answered({ folded }: FoldAnswer): void {
    if (folded !== undefined) return this.#taken?.resolve(folded);
    this.#unanswered--;
    this.#room?.resolve();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#room?.reject(error);
    this.#taken?.reject(error);
  }

  [Symbol.dispose](): void {
    if (this.#failure === undefined) this.#send({ kind: "end", request: this.#number });
    this.#onEnd();
  }

  #send(work: FoldWork, buffers: ArrayBuffer[] = []): void {
    this.#worker.postMessage(work, buffers);
  }
}

function foldHere(how: FoldedHow): Folding {
  const fold = new ShortFold(how);
  return {
    add: async (lines) => fold.add(lines),
    take: async () => fold.take(),
    [Symbol.dispose]: () => undefined,
  };
}
