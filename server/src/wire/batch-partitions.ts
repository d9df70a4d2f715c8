import { limits } from "@lossless/protocol";
import { partitionKey } from "../points/point-batch.ts";
import { type AsciiText, closeBrace, comma, openBrace, quote } from "./ascii-text.ts";
import { DistinctTexts, slotCount } from "./distinct-texts.ts";

/**
 * Bytes of all metas that differ. Each is taken apart and printed, so a batch with more is left to
 * the general path, which does that in another thread.
 */
const metaBytesMax = 131_072;

/**
 * Numbers the partitions of one batch in order of first appearance. Names and metas are told apart
 * by their bytes; strings are made once for each distinct one.
 */
export class BatchPartitions {
  /** partitionKey() of each partition. */
  keys: string[] = [];
  readonly #names = new DistinctTexts();
  readonly #rawMetas = new DistinctTexts();
  /** Canonical metas, and their numbers by a raw text's: `{"a":"b"}` and `{ "a": "b" }` are one. */
  #canonicals: string[] = [];
  #metaBytes = 0;
  #byCanonical = new Map<string, number>();
  readonly #metaOf = new Uint16Array(limits.eventsPerRequestMax);
  /** Name and canonical meta of each partition; open addressing over them, number + 1. */
  readonly #nameOfPartition = new Uint16Array(limits.eventsPerRequestMax);
  readonly #metaOfPartition = new Uint16Array(limits.eventsPerRequestMax);
  readonly #slots = new Uint16Array(slotCount);

  start(text: AsciiText): void {
    this.#names.start(text);
    this.#rawMetas.start(text);
    this.keys = [];
    this.#canonicals = [];
    this.#metaBytes = 0;
    this.#byCanonical = new Map();
    this.#slots.fill(0);
  }

  /** Index after a meta that is the latest one once more, byte for byte; -1 for every other. */
  afterLatestMeta(at: number): number {
    return this.#rawMetas.afterLatest(at);
  }

  /**
   * Returns the partition of a name and a meta, whose texts have the right form. -1 when the meta
   * is beyond its limits or repeats a key, or all metas together have too many bytes.
   */
  partition(
    text: AsciiText,
    nameStart: number,
    nameEnd: number,
    metaStart: number,
    metaEnd: number,
  ): number {
    const known = this.#rawMetas.count;
    const rawMeta = this.#rawMetas.number(metaStart, metaEnd);
    if (rawMeta === known) {
      this.#metaBytes += metaEnd - metaStart;
      if (this.#metaBytes > metaBytesMax) return -1;
      const canonical = canonicalMeta(text, metaStart);
      if (canonical === undefined) return -1;
      this.#metaOf[rawMeta] = this.#metaNumber(canonical);
    }
    const meta = this.#metaOf[rawMeta];
    const name = this.#names.number(nameStart, nameEnd);
    let slot = (Math.imul(meta, 0x9e3779b1) + Math.imul(name, 0x85ebca6b)) >>> slotShift;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & (slotCount - 1)) {
      const partition = this.#slots[slot] - 1;
      if (this.#nameOfPartition[partition] === name && this.#metaOfPartition[partition] === meta) {
        return partition;
      }
    }
    return this.#add(slot, name, meta, text.slice(nameStart, nameEnd));
  }

  #metaNumber(canonical: string): number {
    const known = this.#byCanonical.get(canonical);
    if (known !== undefined) return known;
    this.#byCanonical.set(canonical, this.#canonicals.length);
    return this.#canonicals.push(canonical) - 1;
  }

  #add(slot: number, name: number, meta: number, nameText: string): number {
    const partition = this.keys.length;
    this.keys.push(partitionKey(nameText, this.#canonicals[meta]));
    this.#nameOfPartition[partition] = name;
    this.#metaOfPartition[partition] = meta;
    this.#slots[slot] = partition + 1;
    return partition;
  }
}

const slotShift = 32 - Math.log2(slotCount);

/** Returns the index after a flat object of plain strings, or -1 for any other value. */
export function afterMeta(text: AsciiText, start: number): number {
  const { bytes } = text;
  if (bytes[start] !== openBrace) return -1;
  let at = text.skipSpace(start + 1);
  if (bytes[at] === closeBrace) return at + 1;
  while (bytes[at] === quote) {
    const keyEnd = text.closingQuote(at + 1);
    if (keyEnd === -1) return -1;
    const value = text.colon(keyEnd + 1);
    if (value === -1 || bytes[value] !== quote) return -1;
    const valueEnd = text.closingQuote(value + 1);
    if (valueEnd === -1) return -1;
    at = text.skipSpace(valueEnd + 1);
    if (bytes[at] === closeBrace) return at + 1;
    if (bytes[at] !== comma) return -1;
    at = text.skipSpace(at + 1);
  }
  return -1;
}

/**
 * Returns the canonical JSON (RFC 8785) of a meta that afterMeta() accepted: plain ASCII needs no
 * escapes, and bytes sort as UTF-16 code units do. undefined when a limit is passed or a key is
 * repeated.
 */
function canonicalMeta(text: AsciiText, start: number): string | undefined {
  const { bytes } = text;
  const members = new Map<string, string>();
  let at = text.skipSpace(start + 1);
  while (bytes[at] === quote) {
    const keyEnd = text.closingQuote(at + 1);
    const value = text.colon(keyEnd + 1) + 1;
    const valueEnd = text.closingQuote(value);
    const key = text.slice(at + 1, keyEnd);
    if (members.has(key) || members.size === limits.metricMetaKeysMax) return undefined;
    if (key.length > limits.metricMetaKeyBytesMax) return undefined;
    if (valueEnd - value > limits.metricMetaValueBytesMax) return undefined;
    members.set(key, `"${key}":"${text.slice(value, valueEnd)}"`);
    at = text.skipSpace(valueEnd + 1);
    if (bytes[at] === comma) at = text.skipSpace(at + 1);
  }
  const keys = [...members.keys()].sort();
  const canonical = `{${keys.map((key) => members.get(key)).join(",")}}`;
  return canonical.length > limits.metricMetaBytesMax ? undefined : canonical;
}
