import { setImmediate } from "node:timers/promises";
import { ServiceError } from "./errors.ts";

/** Characters that are written without a break: a millisecond or two. */
const charactersPerTurn = 131_072;

export interface ReplyBytes {
  /** Maximal bytes of one reply. */
  max: number;
  /** Bytes left after the earlier replies of the request. */
  left: number;
}

/** A large reply's text, written in turns of the event loop, so other requests run in between. */
export class ReplyText {
  readonly bytes: ReplyBytes;
  readonly #turns: Uint8Array<ArrayBuffer>[] = [];
  readonly #encoder = new TextEncoder();
  #turn = "";
  #sizeBytes = 0;

  constructor(bytes: ReplyBytes = { max: Infinity, left: Infinity }) {
    this.bytes = bytes;
  }

  /** Waits when the turn is over. Throws `result_too_large`. */
  add(text: string): Promise<void> | void {
    this.#turn += text;
    if (this.#turn.length >= charactersPerTurn) return this.#nextTurn();
  }

  /** Throws `result_too_large` when this many bytes would not fit: for results gathered first. */
  require(sizeBytes: number): void {
    const { max, left } = this.bytes;
    if (sizeBytes <= left) return;
    throw new ServiceError(
      "result_too_large",
      `The replies of one request have at most ${max} bytes together.`,
      { maximum: max },
    );
  }

  end(): Buffer {
    return Buffer.concat(this.pieces());
  }

  /** The whole text, in pieces that can be transferred to another thread. */
  pieces(): Uint8Array<ArrayBuffer>[] {
    this.#endTurn();
    return this.#turns;
  }

  async #nextTurn(): Promise<void> {
    this.#endTurn();
    await setImmediate();
  }

  #endTurn(): void {
    if (this.#turn === "") return;
    const piece = this.#encoder.encode(this.#turn);
    this.#turn = "";
    this.#sizeBytes += piece.length;
    this.require(this.#sizeBytes);
    this.#turns.push(piece);
  }
}

/** Writes a JSON array, element by element. */
export async function addArray<Element>(
  text: ReplyText,
  elements: readonly Element[],
  print: (element: Element) => string,
): Promise<void> {
  let opening = "[";
  for (const element of elements) {
    const turn = text.add(opening + print(element));
    // A hundred thousand of them: only where there is something to wait for.
    if (turn !== undefined) await turn;
    opening = ",";
  }
  await text.add(elements.length === 0 ? "[]" : "]");
}
