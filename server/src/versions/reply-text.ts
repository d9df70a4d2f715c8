import { setImmediate } from "node:timers/promises";

/** Characters that are written without a break: a millisecond or two. */
const charactersPerTurn = 131_072;

/** The text of a large reply, written in turns of the event loop, so that other requests run in between. */
export class ReplyText {
  readonly #turns: Buffer[] = [];
  #turn = "";

  /** Waits when the turn is over. */
  add(text: string): Promise<void> | void {
    this.#turn += text;
    if (this.#turn.length >= charactersPerTurn) return this.#nextTurn();
  }

  end(): Buffer {
    this.#turns.push(Buffer.from(this.#turn));
    this.#turn = "";
    return Buffer.concat(this.#turns);
  }

  async #nextTurn(): Promise<void> {
    this.#turns.push(Buffer.from(this.#turn));
    this.#turn = "";
    await setImmediate();
  }
}
