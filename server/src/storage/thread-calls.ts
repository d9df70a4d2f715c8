import { receiveMessageOnPort, type MessagePort, type Worker } from "node:worker_threads";
import { carryError, reviveError, type CarriedError } from "./carried-error.ts";
import { StreamChunks } from "./stream-chunks.ts";

/**
 * Calls that a thread serves: functions by name, each with one input. Inputs and replies cross a
 * thread boundary, so they are plain data; a reply may also be a stream of bytes.
 */
export type CallsOf<Calls> = { [Name in keyof Calls]: (input: never) => unknown };
type Input<Calls extends CallsOf<Calls>, Name extends keyof Calls> = Parameters<Calls[Name]>[0];
type Answer<Calls extends CallsOf<Calls>, Name extends keyof Calls> = ReturnType<Calls[Name]>;
type Settled<Value> = Value | Moved<Value>;

/** Times at which a thread worked on a call, in milliseconds since 1970. */
export interface WorkTimes {
  beganAtMs: number;
  endedAtMs: number;
}

/** Returns the receiver of the times of a call by name; undefined: none is wanted. */
export type Timing = (name: string) => ((times: WorkTimes) => void) | undefined;

/**
 * Implementation of a thread's calls. `begin` is passed where the times are wanted: work that had
 * to wait for its turn calls it when it begins.
 */
export type Served<Calls extends CallsOf<Calls>> = {
  [Name in keyof Calls]: (
    input: Input<Calls, Name>,
    signal?: AbortSignal,
    begin?: () => void,
  ) => Settled<Answer<Calls, Name>> | PromiseLike<Settled<Answer<Calls, Name>>>;
};

/** An answer of which buffers are not copied. */
export class Moved<Value> {
  readonly value: Value;
  readonly buffers: readonly ArrayBuffer[];

  constructor(value: Value, buffers: readonly ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}

type Message =
  | { kind: "ask"; id: number; name: string; input: unknown; mayStop?: true; isTimed?: true }
  | { kind: "tell"; name: string; input: unknown }
  | { kind: "answer"; id: number; value: unknown; times?: WorkTimes }
  | { kind: "failure"; id: number; error: CarriedError; times?: WorkTimes }
  | { kind: "pull" | "cancel"; id: number }
  | { kind: "chunk"; id: number; bytes: Uint8Array; isLast: boolean };

type Operation = (input: unknown, signal?: AbortSignal, begin?: () => void) => unknown;

/** The answer that is a stream. */
const streamOpened = "stream";

/** A stream that the other end reads. */
interface ServedStream {
  chunks: AsyncGenerator<Uint8Array>;
  /** Pulls of one stream run one after another. */
  turn: Promise<void>;
}

/**
 * One end of a port to another thread: makes calls, and serves them. All messages sent before
 * `gather` calls back go in one: by default those of one run of the code.
 */
export class ThreadCalls<Theirs extends CallsOf<Theirs>, Ours extends CallsOf<Ours>> {
  timing: Timing | undefined;
  readonly #port: MessagePort | Worker;
  readonly #gather: (send: () => void) => void;
  readonly #served: Partial<Record<string, Operation>> = {};
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #timed = new Map<number, (times: WorkTimes) => void>();
  readonly #read = new Map<number, StreamChunks>();
  readonly #given = new Map<number, ServedStream>();
  /** Operations that run here and may be stopped. */
  readonly #stoppable = new Map<number, AbortController>();
  #gathered: Message[] = [];
  #transfer: (ArrayBuffer | MessagePort)[] = [];
  #nextId = 1;

  constructor(port: MessagePort | Worker, gather: (send: () => void) => void = queueMicrotask) {
    this.#port = port;
    this.#gather = gather;
    port.on("message", (messages: Message[]) => this.#takeAll(messages));
  }

  /** Streams that the other end has not read to their end. */
  get openStreams(): number {
    return this.#given.size;
  }

  serve(served: Partial<Served<Ours>>): void {
    Object.assign(this.#served, served);
  }

  /** Rejects with the error of the other thread. */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    input: Input<Theirs, Name>,
    transfer: readonly (ArrayBuffer | MessagePort)[] = [],
  ): Promise<Answer<Theirs, Name>> {
    return this.#expect(this.#nextId++, name, input, transfer) as Promise<Answer<Theirs, Name>>;
  }

  /** The same for work that a signal stops: it rejects when the other thread has stopped. */
  async askUntil<Name extends keyof Theirs & string>(
    signal: AbortSignal,
    name: Name,
    input: Input<Theirs, Name>,
  ): Promise<Answer<Theirs, Name>> {
    return (await this.#expectUntil(signal, this.#nextId++, name, input)) as Answer<Theirs, Name>;
  }

  /**
   * Resolves when the stream is open; chunks come as they are taken. Undefined means that there is
   * none. `signal` stops the opening.
   */
  async stream<Name extends keyof Theirs & string>(
    name: Name,
    input: Input<Theirs, Name>,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const id = this.#nextId++;
    const answer =
      signal === undefined
        ? await this.#expect(id, name, input, [])
        : await this.#expectUntil(signal, id, name, input);
    if (answer !== streamOpened) return undefined;
    // It was open when it was told to stop, and has ended.
    signal?.throwIfAborted();
    const chunks = new StreamChunks(
      () => this.#send({ kind: "pull", id }),
      (isFinished) => {
        this.#read.delete(id);
        if (!isFinished) this.#send({ kind: "cancel", id });
      },
    );
    this.#read.set(id, chunks);
    return chunks;
  }

  /** Sends a call without a reply. */
  tell<Name extends keyof Theirs & string>(name: Name, input: Input<Theirs, Name>): void {
    this.#send({ kind: "tell", name, input });
  }

  /** Handles messages that have arrived, without a turn of the event loop. */
  takeArrived(): void {
    for (;;) {
      const arrived = receiveMessageOnPort(this.#port as MessagePort);
      if (arrived === undefined) return;
      this.#takeAll(arrived.message as Message[]);
    }
  }

  /** Sends gathered messages. */
  flush(): void {
    if (this.#gathered.length === 0) return;
    const [messages, transfer] = [this.#gathered, this.#transfer];
    [this.#gathered, this.#transfer] = [[], []];
    this.#port.postMessage(messages, transfer);
  }

  /** Rejects all pending calls. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#timed.clear();
    for (const stream of this.#read.values()) stream.fail(error);
  }

  /** Ends the streams that are read here. */
  async endStreams(): Promise<void> {
    for (const id of this.#given.keys()) await this.#cancel(id);
  }

  #expect(
    id: number,
    name: string,
    input: unknown,
    transfer: readonly (ArrayBuffer | MessagePort)[],
    mayStop = false,
  ): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    const told = this.timing?.(name);
    if (told !== undefined) this.#timed.set(id, told);
    const isTimed = told !== undefined;
    const how = { ...(mayStop && { mayStop }), ...(isTimed && { isTimed }) };
    this.#send({ kind: "ask", id, name, input, ...how }, transfer);
    return answer.promise;
  }

  async #expectUntil(
    signal: AbortSignal,
    id: number,
    name: string,
    input: unknown,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const stop = () => this.#send({ kind: "cancel", id });
    signal.addEventListener("abort", stop);
    try {
      return await this.#expect(id, name, input, [], true);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  #send(message: Message, transfer: readonly (ArrayBuffer | MessagePort)[] = []): void {
    if (this.#gathered.push(message) === 1) this.#gather(() => this.flush());
    this.#transfer.push(...transfer);
  }

  #takeAll(messages: Message[]): void {
    for (const message of messages) this.#take(message);
  }

  #take(message: Message): void {
    switch (message.kind) {
      case "ask":
        if (message.mayStop) this.#stoppable.set(message.id, new AbortController());
        return void this.#answer(message);
      case "tell":
        return void this.#operation(message.name)(message.input);
      case "answer":
        this.#tellTimes(message);
        this.#waiting.get(message.id)?.resolve(message.value);
        this.#waiting.delete(message.id);
        return;
      case "failure": {
        const error = reviveError(message.error);
        this.#tellTimes(message);
        this.#waiting.get(message.id)?.reject(error);
        this.#waiting.delete(message.id);
        return this.#read.get(message.id)?.fail(error);
      }
      case "pull":
        return this.#pull(message.id);
      case "cancel":
        this.#stoppable.get(message.id)?.abort();
        return void this.#cancel(message.id);
      case "chunk":
        return this.#read.get(message.id)?.push(message.bytes, message.isLast);
    }
  }

  #tellTimes({ id, times }: { id: number; times?: WorkTimes }): void {
    if (times === undefined) return;
    this.#timed.get(id)?.(times);
    this.#timed.delete(id);
  }

  async #answer({ id, name, input, isTimed }: Message & { kind: "ask" }): Promise<void> {
    const signal = this.#stoppable.get(id)?.signal;
    const clock = isTimed ? new WorkClock() : undefined;
    try {
      const answer = await this.#operation(name)(input, signal, clock?.begin);
      if (isStream(answer)) {
        if (signal?.aborted) await answer.return(undefined);
        signal?.throwIfAborted();
        this.#given.set(id, { chunks: answer, turn: Promise.resolve() });
        this.#send({ kind: "answer", id, value: streamOpened, ...clock?.end() });
      } else if (answer instanceof Moved) {
        this.#send({ kind: "answer", id, value: answer.value, ...clock?.end() }, answer.buffers);
      } else this.#send({ kind: "answer", id, value: answer, ...clock?.end() });
    } catch (error) {
      this.#send({ kind: "failure", id, error: carryError(error), ...clock?.end() });
    } finally {
      this.#stoppable.delete(id);
    }
  }

  #operation(name: string): Operation {
    const operation = this.#served[name];
    if (operation === undefined) throw new Error(`BUG: this thread is asked for ${name}`);
    return operation;
  }

  #pull(id: number): void {
    const given = this.#given.get(id);
    if (given !== undefined) given.turn = given.turn.then(() => this.#giveNext(id, given));
  }

  async #giveNext(id: number, { chunks }: ServedStream): Promise<void> {
    if (!this.#given.has(id)) return;
    try {
      const { value: bytes = new Uint8Array(0), done } = await chunks.next();
      const isLast = done === true;
      if (isLast) this.#given.delete(id);
      this.#send({ kind: "chunk", id, bytes, isLast }, [bytes.buffer as ArrayBuffer]);
    } catch (error) {
      this.#given.delete(id);
      this.#send({ kind: "failure", id, error: carryError(error) });
    }
  }

  async #cancel(id: number): Promise<void> {
    const given = this.#given.get(id);
    this.#given.delete(id);
    await given?.chunks.return(undefined);
  }
}

/** Combines the wall clock, for the time of day, with the monotonic clock, for durations. */
class WorkClock {
  #beganAtMs = Date.now();
  #fromMs = performance.now();

  readonly begin = (): void => {
    this.#beganAtMs = Date.now();
    this.#fromMs = performance.now();
  };

  end(): { times: WorkTimes } {
    const endedAtMs = this.#beganAtMs + performance.now() - this.#fromMs;
    return { times: { beganAtMs: this.#beganAtMs, endedAtMs } };
  }
}

function isStream(answer: unknown): answer is AsyncGenerator<Uint8Array> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}
