import type { Moment } from "../ground/clock.ts";
import type { Database, ReadBounds, Reader } from "../database/database.ts";
import { ReplyText, type ReplyBytes } from "../ground/reply-text.ts";
import type { ReadCall, Patience } from "./calls.ts";
import { holderOf } from "./holder-of.ts";
import { isCorruption, isLate, publicReadError } from "./read-failure.ts";
import { Moved } from "./thread-calls.ts";

type Read = (reader: Reader, input: unknown, context: Moment) => Promise<unknown>;
/** Reads in a transaction, and resolves with the rest of the work, which needs none. */
type Reply = (
  reader: Reader,
  input: unknown,
  text: ReplyText,
  context: Moment & { signal?: AbortSignal },
) => Promise<void | (() => Promise<void>)>;

export interface ReadTools<Context extends Moment> {
  database: Database;
  /** The reads of this thread, by name. */
  reads: object;
  replies: object;
  context: () => Context;
  /** `signal` as in `reply`. */
  boundsOf: (
    pace: Patience | undefined,
    holder: string,
    signal?: AbortSignal,
  ) => ReadBounds | undefined;
}

/** Runs domain reads for the main thread, each on a snapshot, and returns a value or text. */
export class Reads<Context extends Moment> {
  readonly figures = { reads: 0, corruptions: 0 };
  readonly #tools: ReadTools<Context>;

  constructor(tools: ReadTools<Context>) {
    this.#tools = tools;
  }

  /** `begin` as in Served: a read may wait for a connection. */
  read(
    { name, input, pace }: ReadCall,
    signal?: AbortSignal,
    begin?: () => void,
  ): Promise<unknown> {
    const { database, reads, context, boundsOf } = this.#tools;
    return this.#run(async () => {
      const operation = named<Read>(reads, name);
      return database.read(
        (reader) => {
          begin?.();
          return operation(reader, input, context());
        },
        boundsOf(pace, holderOf(input), signal),
      );
    });
  }

  /** Returns the reply of a read. `signal` aborts when no caller waits for it any more. */
  reply(
    { name, input, pace, bytes }: ReadCall & { bytes: ReplyBytes },
    signal?: AbortSignal,
    begin?: () => void,
  ) {
    const { database, replies, context, boundsOf } = this.#tools;
    const stop = signal === undefined ? {} : { signal };
    return this.#run(async () => {
      const operation = named<Reply>(replies, name);
      const text = new ReplyText(bytes);
      const tools = { ...context(), ...stop };
      const rest = await database.read(
        (reader) => {
          begin?.();
          return operation(reader, input, text, tools);
        },
        boundsOf(pace, holderOf(input), signal),
      );
      await rest?.();
      const pieces = text.pieces();
      return new Moved(
        pieces,
        pieces.map(({ buffer }) => buffer),
      );
    });
  }

  /** Opens a result that is read in pieces. */
  async open<Opened>(work: () => Promise<Opened>): Promise<Opened> {
    try {
      return await work();
    } catch (error) {
      throw this.public(error);
    }
  }

  /** Returns the error for the caller. */
  public(error: unknown): unknown {
    if (isCorruption(error)) this.figures.corruptions++;
    return publicReadError(error);
  }

  /** Runs a read; the caller decides how to handle one that took too long. */
  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.figures.reads++;
    try {
      return await work();
    } catch (error) {
      throw isLate(error) ? error : this.public(error);
    }
  }
}

function named<Operation>(operations: object, name: string): Operation {
  const operation = (operations as Record<string, Operation>)[name];
  if (operation === undefined) throw new Error(`BUG: no read operation ${name}`);
  return operation;
}
