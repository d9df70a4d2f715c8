import { limits } from "@lossless/protocol";
import type { AsciiText } from "./ascii-text.ts";

/** Numbers the distinct texts of a body in order of first appearance, by bytes, without strings. */
export class DistinctTexts {
  count = 0;
  #text: AsciiText | undefined;
  readonly #starts = new Uint32Array(limits.eventsPerRequestMax);
  readonly #ends = new Uint32Array(limits.eventsPerRequestMax);
  /** Open addressing, at most half full: number + 1. */
  readonly #slots = new Uint16Array(slotCount);
  #latest = 0;

  start(text: AsciiText): void {
    this.#text = text;
    this.#slots.fill(0);
    this.count = 0;
    this.#latest = 0;
  }

  /** The number of the printable text from `start` to `end`; at most one new one an event. */
  number(start: number, end: number): number {
    const text = this.#text!;
    if (this.count > 0 && this.#isText(this.#latest, start, end)) return this.#latest;
    let slot = text.hash(start, end) & (slotCount - 1);
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & (slotCount - 1)) {
      const number = this.#slots[slot] - 1;
      if (this.#isText(number, start, end)) return (this.#latest = number);
    }
    this.#starts[this.count] = start;
    this.#ends[this.count] = end;
    this.#slots[slot] = ++this.count;
    return (this.#latest = this.count - 1);
  }

  /**
   * Returns the index after a text at `at` that begins like the latest one and has its length; -1
   * if there is none.
   */
  afterLatest(at: number): number {
    if (this.count === 0) return -1;
    return this.#text!.copy(at, this.#starts[this.#latest], this.#ends[this.#latest]);
  }

  #isText(number: number, start: number, end: number): boolean {
    const known = this.#starts[number];
    const knownEnd = this.#ends[number];
    return end - start === knownEnd - known && this.#text!.copy(start, known, knownEnd) === end;
  }
}

/** A power of two, at least twice the events of a request. */
export const slotCount = 2_048;
