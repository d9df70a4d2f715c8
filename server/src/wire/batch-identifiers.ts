import { limits } from "@lossless/protocol";
import {
  counterHigh,
  counterLow,
  counterStartAscii,
  counterValueAscii,
} from "../points/identifiers/counter.ts";
import type { IdentifierHasher } from "../points/identifiers/hash.ts";
import type { AsciiText } from "./ascii-text.ts";
import { DistinctTexts, slotCount } from "./distinct-texts.ts";

/**
 * The identifier columns of one batch, from the bytes of its messageIds: hashes, or prefix and
 * counter. Detects repeated ones (batching rule 4); two that only collide are reported as well, and
 * then told apart by the general path, which compares strings.
 */
export class BatchIdentifiers {
  /** Distinct prefixes of counter identifiers in order of first appearance, without the hyphen. */
  prefixes: string[] = [];
  readonly words = new Uint32Array(4 * limits.eventsPerRequestMax);
  readonly #hasher: IdentifierHasher;
  readonly #isCounter = new Uint8Array(limits.eventsPerRequestMax);
  /** Open addressing, at most half full: index of the event + 1. */
  readonly #slots = new Uint16Array(slotCount);
  readonly #prefixTexts = new DistinctTexts();
  #bytes: Buffer = Buffer.alloc(0);

  constructor(hasher: IdentifierHasher) {
    this.#hasher = hasher;
  }

  start(text: AsciiText): void {
    this.#bytes = text.bytes;
    this.prefixes = [];
    this.#prefixTexts.start(text);
    this.#slots.fill(0);
  }

  /** Writes the words of an identifier. 0: a hash; 1: a counter identifier; -1: it is repeated. */
  add(event: number, start: number, end: number): -1 | 0 | 1 {
    const { words } = this;
    const bytes = this.#bytes;
    const at = 4 * event;
    const counterStart = counterStartAscii(bytes, start, end);
    if (counterStart === -1) this.#hasher.hashAscii(bytes, start, end, words, at);
    else {
      const counter = counterValueAscii(bytes, counterStart, end);
      words[at] = this.#prefixNumber(start, counterStart - 1);
      words[at + 1] = 0;
      words[at + 2] = counterHigh(counter);
      words[at + 3] = counterLow(counter);
    }
    this.#isCounter[event] = counterStart === -1 ? 0 : 1;
    if (!this.#isNew(event, at)) return -1;
    return counterStart === -1 ? 0 : 1;
  }

  #isNew(event: number, at: number): boolean {
    const { words } = this;
    const slots = this.#slots;
    // Counters differ in their last word, hashes in all.
    let slot = (Math.imul(words[at], 0x9e3779b1) + words[at + 3]) & (slotCount - 1);
    for (; slots[slot] !== 0; slot = (slot + 1) & (slotCount - 1)) {
      const other = slots[slot] - 1;
      if (
        words[4 * other] === words[at] &&
        words[4 * other + 1] === words[at + 1] &&
        words[4 * other + 2] === words[at + 2] &&
        words[4 * other + 3] === words[at + 3] &&
        this.#isCounter[other] === this.#isCounter[event]
      ) {
        return false;
      }
    }
    slots[slot] = event + 1;
    return true;
  }

  #prefixNumber(start: number, end: number): number {
    const number = this.#prefixTexts.number(start, end);
    if (number === this.prefixes.length)
      this.prefixes.push(this.#bytes.toString("latin1", start, end));
    return number;
  }
}
