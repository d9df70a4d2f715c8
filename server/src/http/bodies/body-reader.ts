import { Worker } from "node:worker_threads";
import type { EndpointName, EventEndpoint } from "@lossless/protocol";
import { FairShares } from "../../ground/fair-shares.ts";
import { Slots } from "../../ground/slots.ts";
import { sourceBeside } from "../../ground/source-beside.ts";
import { type BodyAnswer, type BodyWork, readBody, valueOf } from "./body-work.ts";
import type { ReceivedEvents } from "../v2/received-event.ts";
import type { RequestBody } from "./request-body.ts";

/**
 * Bodies below this many bytes are read at once: that takes less time than the way to another
 * thread and back, and at most some milliseconds, whatever they contain.
 */
const ownThreadBytesMax = 65_536;
/** The thread and its memory are released after this time without a large body. */
const idleMs = 60_000;
/** Memory limits of the thread: a body of 32 MiB with a million values takes some 300 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 32 };

/**
 * Reads JSON bodies, large ones in a thread of their own, so that no body blocks the main thread.
 * The thread begins with the first large body. It reads one body at a time, of each organization in
 * turn: an organization that sends many delays only its own.
 */
export class BodyReader implements AsyncDisposable {
  readonly #depthMax: number;
  readonly #turns = new Slots(new FairShares(1));
  #worker: Worker | undefined;
  #current: PromiseWithResolvers<BodyAnswer> | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(depthMax: number) {
    this.#depthMax = depthMax;
  }

  /** Reads the events of a body. The body's bytes are unusable afterwards. */
  async events<Endpoint extends EventEndpoint>(
    endpoint: Endpoint,
    body: Pick<RequestBody, "bytes" | "holder">,
  ): Promise<ReceivedEvents<Endpoint>> {
    const work = { kind: "events", endpoint, depthMax: this.#depthMax } as const;
    return (await this.#read(work, body)) as ReceivedEvents<Endpoint>;
  }

  json(name: EndpointName, body: Pick<RequestBody, "bytes" | "holder">): Promise<unknown> {
    return this.#read({ kind: "json", name, depthMax: this.#depthMax }, body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  async #read(
    work: BodyWork,
    { bytes, holder }: Pick<RequestBody, "bytes" | "holder">,
  ): Promise<unknown> {
    if (bytes.length <= ownThreadBytesMax) return readBody(work, bytes);
    return valueOf(await this.#turns.in(holder, () => this.#answer(work, bytes)));
  }

  async #answer(work: BodyWork, bytes: Uint8Array): Promise<BodyAnswer> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    // Referenced only while it reads: idle, it keeps no process alive.
    worker.ref();
    this.#current = Promise.withResolvers();
    const isWhole = bytes.length === bytes.buffer.byteLength;
    const own = isWhole ? bytes : new Uint8Array(bytes);
    worker.postMessage({ work, bytes: own }, [own.buffer as ArrayBuffer]);
    const answer = await this.#current.promise;
    this.#current = undefined;
    worker.unref();
    this.#idle = setTimeout(() => this.#giveBack(), idleMs).unref();
    return answer;
  }

  /** Releases the thread. A body that arrives while it ends gets another one. */
  #giveBack(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(sourceBeside("./body-thread.ts", import.meta.url), {
      resourceLimits,
    });
    worker.on("message", (answer: BodyAnswer) => this.#current?.resolve(answer));
    // The thread is gone, and the body that it was reading is lost; the next body gets another
    // thread.
    const onGone = (message: string) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#current?.resolve({ kind: "defect", message, stack: undefined });
    };
    worker.on("error", (error: Error) => onGone(error.message));
    worker.on("exit", (code) => onGone(`the thread that reads bodies ended with ${code}`));
    return worker;
  }
}
