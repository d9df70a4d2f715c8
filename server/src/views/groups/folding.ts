import { Worker } from "node:worker_threads";
import { sourceBeside } from "../../ground/source-beside.ts";
import { type FoldedGroups, type FoldedHow, ShortFold, type ShortLines } from "./short-fold.ts";

/** Lines from which on a thread of its own folds them: fewer take less time than its start. */
const threadLinesMin = 1_000;
/** Lines are sent together from this many bytes on: a message takes as long as to fold some. */
const messageBytesMin = 524_288;
/** Bytes of messages that the thread has not answered; more wait. */
const unansweredBytesMax = 8_388_608;
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
  /** Resolves when more may come. The lines' memory may be unusable afterwards. */
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

  /** Starts the thread for about so many lines, while it is not yet known how they are folded. */
  expect(lines: number): void {
    if (lines < threadLinesMin || this.#requests.size > 0) return;
    this.#worker ??= this.#start();
    this.#worker.unref();
    this.#releaseIdle();
  }

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
    this.#releaseIdle();
  }

  #releaseIdle(): void {
    clearTimeout(this.#idle);
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
  /** Lines that are not sent yet. */
  #gathered: ShortLines[] = [];
  #gatheredBytes = 0;
  /** Sizes of the messages that are not answered, in their order. */
  readonly #unanswered: number[] = [];
  #unansweredBytes = 0;
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
    this.#gathered.push(lines);
    this.#gatheredBytes += lines.chunks.length;
    if (this.#gatheredBytes < messageBytesMin) return;
    this.#sendGathered();
    if (this.#unansweredBytes <= unansweredBytesMax) return;
    this.#room = Promise.withResolvers();
    await this.#room.promise;
  }

  async take(): Promise<FoldedGroups> {
    if (this.#failure) throw this.#failure;
    this.#sendGathered();
    this.#taken = Promise.withResolvers();
    this.#send({ kind: "take", request: this.#number });
    return this.#taken.promise;
  }

  answered({ folded }: FoldAnswer): void {
    if (folded !== undefined) return this.#taken?.resolve(folded);
    this.#unansweredBytes -= this.#unanswered.shift()!;
    if (this.#unansweredBytes <= unansweredBytesMax) this.#room?.resolve();
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

  #sendGathered(): void {
    if (this.#gathered.length === 0) return;
    const lines = joined(this.#gathered);
    this.#gathered = [];
    this.#unanswered.push(this.#gatheredBytes);
    this.#unansweredBytes += this.#gatheredBytes;
    this.#gatheredBytes = 0;
    const buffers = Object.values(lines).map(({ buffer }: ArrayBufferView<ArrayBuffer>) => buffer);
    this.#send({ kind: "add", request: this.#number, lines }, buffers);
  }

  #send(work: FoldWork, buffers: ArrayBuffer[] = []): void {
    this.#worker.postMessage(work, buffers);
  }
}

function joined(parts: readonly ShortLines[]): ShortLines {
  if (parts.length === 1) return parts[0];
  const lines = parts.reduce((sum, { numbers }) => sum + numbers.length, 0);
  const bytes = parts.reduce((sum, { chunks }) => sum + chunks.length, 0);
  const all: ShortLines = {
    numbers: new Uint32Array(lines),
    groups: new Uint32Array(lines),
    chunks: new Uint8Array(bytes),
    lengths: new Uint32Array(lines),
    origins: new Float64Array(lines),
  };
  let [line, byte] = [0, 0];
  for (const { numbers, groups, chunks, lengths, origins } of parts) {
    all.numbers.set(numbers, line);
    all.groups.set(groups, line);
    all.lengths.set(lengths, line);
    all.origins.set(origins, line);
    all.chunks.set(chunks, byte);
    line += numbers.length;
    byte += chunks.length;
  }
  return all;
}

function foldHere(how: FoldedHow): Folding {
  const fold = new ShortFold(how);
  return {
    add: async (lines) => fold.add(lines),
    take: async () => fold.take(),
    [Symbol.dispose]: () => undefined,
  };
}
