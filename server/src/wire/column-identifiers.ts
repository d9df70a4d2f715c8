import { isAscii, isUtf8 } from "node:buffer";
import { limits } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import {
  counterHigh,
  counterLow,
  counterStartAscii,
  counterValueAscii,
} from "../points/identifiers/counter.ts";
import type { IdentifierHasher } from "../points/identifiers/hash.ts";
import { counterFlag, type PointColumns } from "../points/point-batch.ts";
import { type ColumnLayout, runBytes, wrong } from "./column-layout.ts";
import { CounterRuns } from "./counter-runs.ts";

/** Instead of a prefix: the ids of the run are texts. */
const asTexts = 0xffff_ffff;

/**
 * Reads the ids of a body of columns into the identifier column of its batch. A text of the form
 * `<prefix>-<counter>` becomes a counter, as everywhere.
 */
export class ColumnIdentifiers {
  readonly #hasher: IdentifierHasher;
  readonly #target: PointColumns;
  readonly #prefixes = new Map<string, number>();
  /** The number of each prefix of the head. */
  readonly #sent: Uint32Array;
  /** Characters (code points, M3) of each prefix of the head. */
  readonly #characters: Uint32Array;
  readonly #counters = new CounterRuns();
  readonly #hashes: HashedIdentifiers;
  #bytes: Buffer = Buffer.alloc(0);
  #lengths = new Uint16Array(0);
  #isAscii = true;
  #texts = 0;
  #textAt = 0;
  /** Two points with one hash; said when nothing else is wrong, as of JSON. */
  #repeated: [number, number] | undefined;

  constructor(hasher: IdentifierHasher, prefixes: readonly string[], target: PointColumns) {
    this.#hasher = hasher;
    this.#target = target;
    this.#sent = Uint32Array.from(prefixes, (prefix) => this.#number(prefix));
    this.#characters = Uint32Array.from(prefixes, (prefix) => Array.from(prefix).length);
    this.#hashes = new HashedIdentifiers(target.identifier);
  }

  /** Returns the distinct prefixes. Throws `duplicate_message_id` for an id that is there twice. */
  read(bytes: Uint8Array<ArrayBuffer>, layout: ColumnLayout): string[] {
    const { buffer, byteOffset } = bytes;
    const { count, runs, runsAt, texts, lengthsAt, textsAt, checksumAt } = layout;
    this.#bytes = Buffer.from(buffer, byteOffset, bytes.length);
    this.#lengths = new Uint16Array(buffer, byteOffset + lengthsAt, texts);
    this.#textAt = textsAt;
    this.#hashes.expect(texts);
    const all = this.#bytes.subarray(textsAt, checksumAt);
    if (all.includes(0)) throw wrong("an id has the character U+0000");
    this.#isAscii = isAscii(all);
    const view = new DataView(buffer, byteOffset + runsAt, runBytes * runs);
    let index = 0;
    for (let run = 0; run < runs; run++) {
      const first = view.getFloat64(runBytes * run, true);
      const points = view.getUint32(runBytes * run + 8, true);
      const prefix = view.getUint32(runBytes * run + 12, true);
      if (points === 0 || points > count - index)
        throw wrong(`run ${run} of its ids has ${points} points, and ${count - index} are left`);
      if (prefix === asTexts) this.#readTexts(run, index, points);
      else this.#countUp(run, index, { prefix, first, points });
      index += points;
    }
    if (index !== count) throw wrong(`its ids are those of ${index} points, it has ${count}`);
    if (this.#texts !== texts || this.#textAt !== checksumAt)
      throw wrong("its runs of ids use other texts than it has");
    this.#refuseRepeated();
    return [...this.#prefixes.keys()];
  }

  #countUp(
    run: number,
    from: number,
    { prefix, first, points }: { prefix: number; first: number; points: number },
  ): void {
    if (prefix >= this.#sent.length)
      throw wrong(`run ${run} of its ids has the prefix ${prefix} of ${this.#sent.length}`);
    const last = first + (points - 1);
    if (!Number.isSafeInteger(first) || first < 0 || !Number.isSafeInteger(last))
      throw wrong(`run ${run} of its ids has counters that are no integers from 0 to 2^53 - 1`);
    if (this.#characters[prefix] + 1 + String(last).length > charactersMax)
      throw wrongId(from + points - 1);
    const number = this.#sent[prefix];
    this.#counters.add(number, first, points, from);
    for (let index = 0; index < points; index++)
      this.#setCounter(from + index, number, first + index);
  }

  #readTexts(run: number, from: number, points: number): void {
    if (points > this.#lengths.length - this.#texts)
      throw wrong(`run ${run} of its ids has ${points} texts, more than are left`);
    for (let index = from; index < from + points; index++) {
      const start = this.#textAt;
      const end = start + this.#lengths[this.#texts++];
      // The checksum stands behind the texts.
      if (end > this.#bytes.length - 4) throw wrong("its lengths of ids are more than its texts");
      this.#textAt = end;
      this.#readText(index, start, end);
    }
  }

  #readText(index: number, start: number, end: number): void {
    const bytes = this.#bytes;
    if (end === start || end - start > 4 * charactersMax) throw wrongId(index);
    if (!this.#isAscii && !isUtf8(bytes.subarray(start, end))) throw wrongId(index);
    if (end - start > charactersMax && characters(bytes, start, end) > charactersMax)
      throw wrongId(index);
    const counterAt = counterStartAscii(bytes, start, end);
    if (counterAt === -1) {
      const words = this.#target.identifier;
      if (this.#isAscii) this.#hasher.hashAscii(bytes, start, end, words, 4 * index);
      else this.#hasher.hash(bytes.toString("utf8", start, end), words, 4 * index);
      this.#repeated ??= this.#hashes.add(index);
      return;
    }
    const number = this.#number(bytes.toString("utf8", start, counterAt - 1));
    const counter = counterValueAscii(bytes, counterAt, end);
    this.#counters.add(number, counter, 1, index);
    this.#setCounter(index, number, counter);
  }

  #setCounter(index: number, prefix: number, counter: number): void {
    const { identifier, partition } = this.#target;
    const at = 4 * index;
    identifier[at] = prefix;
    identifier[at + 1] = 0;
    identifier[at + 2] = counterHigh(counter);
    identifier[at + 3] = counterLow(counter);
    partition[index] |= counterFlag;
  }

  #number(prefix: string): number {
    const number = this.#prefixes.get(prefix) ?? this.#prefixes.size;
    this.#prefixes.set(prefix, number);
    return number;
  }

  #refuseRepeated(): void {
    const points = this.#repeated ?? this.#counters.repeated();
    if (points === undefined) return;
    throw new ServiceError(
      "duplicate_message_id",
      `The points ${points[0]} and ${points[1]} have one messageId; nothing was executed.`,
    );
  }
}

/** Hashes of a batch; open addressing over the points, at most half full. */
class HashedIdentifiers {
  readonly #words: Uint32Array;
  /** Index of the point + 1. */
  #slots = new Uint32Array(0);

  constructor(words: Uint32Array) {
    this.#words = words;
  }

  expect(count: number): void {
    this.#slots = new Uint32Array(count === 0 ? 0 : 2 ** Math.ceil(Math.log2(2 * count)));
  }

  /** Adds a point whose hash is in the words. Returns it and an earlier one with the same hash. */
  add(index: number): [number, number] | undefined {
    const words = this.#words;
    const slots = this.#slots;
    const at = 4 * index;
    let slot = words[at] & (slots.length - 1);
    for (; slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
      const other = slots[slot] - 1;
      const from = 4 * other;
      const isSame =
        words[from] === words[at] &&
        words[from + 1] === words[at + 1] &&
        words[from + 2] === words[at + 2] &&
        words[from + 3] === words[at + 3];
      if (isSame) return [other, index];
    }
    slots[slot] = index + 1;
    return undefined;
  }
}

const { messageIdCharactersMax: charactersMax } = limits;

function wrongId(index: number): ServiceError {
  return wrong(`messageId[${index}] must be a text of 1 to ${charactersMax} characters, in UTF-8`);
}

/** Returns the code points (M3) of a text in UTF-8: the bytes that continue none. */
function characters(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if ((bytes[at] & 0xc0) !== 0x80) count++;
  return count;
}
