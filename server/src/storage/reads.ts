import type { Moment } from "../ground/clock.ts";
import type { Database, Reader } from "../database/database.ts";
import { ReplyText } from "../ground/reply-text.ts";
import { carryError } from "./carried-error.ts";
import type { CarriedError, ReadAnswer, ReadRequest } from "./messages.ts";
import { isCorruption, publicReadError } from "./read-failure.ts";

type Read = (reader: Reader, input: unknown, context: Moment) => Promise<unknown>;
type Reply = (reader: Reader, input: unknown, text: ReplyText, context: Moment) => Promise<void>;

export interface ReadTools<Context extends Moment> {
  database: Database;
  /** By name; a thread has those that run there. */
  reads: object;
  replies: object;
  context: () => Context;
  tell: (answer: ReadAnswer, transfer: ArrayBuffer[]) => void;
}

/** Runs domain reads for the main thread, each on a snapshot, and answers with a value or with text. */
export class Reads<Context extends Moment> {
  readonly figures = { reads: 0, corruptions: 0 };
  readonly #tools: ReadTools<Context>;

  constructor(tools: ReadTools<Context>) {
    this.#tools = tools;
  }

  take(request: ReadRequest): Promise<void> {
    const { database, context, tell } = this.#tools;
    const { id, name, input } = request;
    this.figures.reads++;
    return this.answer(id, async () => {
      if (request.type === "read") {
        const read = this.#named<Read>(this.#tools.reads, name);
        const value = await database.read((reader) => read(reader, input, context()));
        return tell({ type: "value", id, value }, []);
      }
      const write = this.#named<Reply>(this.#tools.replies, name);
      const text = new ReplyText(request.bytes);
      await database.read((reader) => write(reader, input, text, context()));
      const pieces = text.pieces();
      const buffers = pieces.map(({ buffer }) => buffer);
      tell({ type: "reply", id, pieces }, buffers);
    });
  }

  /** What fails in `work` is the answer. */
  async answer(id: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#tools.tell({ type: "error", id, error: this.readable(error) }, []);
    }
  }

  readable(error: unknown): CarriedError {
    if (isCorruption(error)) this.figures.corruptions++;
    return carryError(publicReadError(error));
  }

  #named<Operation>(operations: object, name: string): Operation {
    const operation = (operations as Record<string, Operation>)[name];
    if (operation === undefined) throw new Error(`BUG: no read operation ${name}`);
    return operation;
  }
}
