import { limits } from "@lossless/protocol";
import { partitionKey } from "../points/point-batch.ts";
import { afterColon, afterCopy, closingQuote, quote, skipSpace } from "./ascii-scan.ts";

/**
 * Numbers the partitions of one batch in order of first appearance, from the bytes of names and metas.
 *
 * Recorders send their metrics in the same order again and again. So the partition that followed the last one
 * before is expected to follow it again: its name and meta are compared bytewise, and only when they differ
 * are strings made and looked up. An expectation never decides anything but the cost.
 */
export class BatchPartitions {
  /** partitionKey() of each partition. */
  keys: string[] = [];
  private bytes: Buffer = Buffer.alloc(0);
  /** Name start, name end, meta start, meta end of each partition, where it stood first. */
  private readonly places = new Uint32Array(4 * limits.eventsPerRequestMax);
  private readonly metaOf = new Uint32Array(limits.eventsPerRequestMax);
  /** The partition that came after each one, as far as known. */
  private readonly followers = new Int32Array(limits.eventsPerRequestMax);
  private previous = -1;
  private expected = -1;
  /** Canonical metas, and their numbers by raw text and by canonical text. */
  private canonicals: string[] = [];
  private byRaw = new Map<string, number>();
  private byCanonical = new Map<string, number>();
  /** Partitions by name, for each meta. */
  private byName: Map<string, number>[] = [];

  start(bytes: Buffer): void {
    this.bytes = bytes;
    this.keys = [];
    this.previous = -1;
    this.expected = -1;
    this.canonicals = [];
    this.byRaw = new Map();
    this.byCanonical = new Map();
    this.byName = [];
  }

  /** Index after the name if it is the expected one and ends here, else -1. */
  expectedName(at: number): number {
    if (this.expected === -1) return -1;
    const place = 4 * this.expected;
    const end = afterCopy(this.bytes, at, this.places[place]!, this.places[place + 1]!);
    return end !== -1 && this.bytes[end] === quote ? end : -1;
  }

  /** Index after the meta if it is the expected one byte for byte, else -1. */
  expectedMeta(at: number): number {
    if (this.expected === -1) return -1;
    const place = 4 * this.expected;
    return afterCopy(this.bytes, at, this.places[place + 2]!, this.places[place + 3]!);
  }

  /**
   * The partition of the name and the meta in these bytes, which both have the right form. -1 when the meta is
   * beyond its limits or has a key twice.
   */
  partition(nameStart: number, nameEnd: number, metaStart: number, metaEnd: number): number {
    const meta = this.metaNumber(metaStart, metaEnd);
    if (meta === -1) return -1;
    const name = this.bytes.toString("latin1", nameStart, nameEnd);
    const known = this.byName[meta]!.get(name);
    if (known !== undefined) return this.follow(known);
    const number = this.keys.length;
    this.keys.push(partitionKey(name, this.canonicals[meta]!));
    this.byName[meta]!.set(name, number);
    this.metaOf[number] = meta;
    this.followers[number] = -1;
    this.places.set([nameStart, nameEnd, metaStart, metaEnd], 4 * number);
    return this.follow(number);
  }

  /** The expected partition, when name and meta both were the expected ones. */
  expectedPartition(): number {
    return this.follow(this.expected);
  }

  private follow(partition: number): number {
    if (this.previous !== -1) this.followers[this.previous] = partition;
    this.previous = partition;
    this.expected = this.followers[partition]!;
    return partition;
  }

  private metaNumber(start: number, end: number): number {
    const raw = this.bytes.toString("latin1", start, end);
    const known = this.byRaw.get(raw);
    if (known !== undefined) return known;
    const canonical = canonicalMeta(this.bytes, start);
    if (canonical === undefined) return -1;
    let number = this.byCanonical.get(canonical);
    if (number === undefined) {
      number = this.canonicals.length;
      this.canonicals.push(canonical);
      this.byCanonical.set(canonical, number);
      this.byName.push(new Map());
    }
    this.byRaw.set(raw, number);
    return number;
  }
}

/** Index after a flat object of plain strings, or -1 for everything else. */
export function afterMeta(bytes: Buffer, start: number): number {
  if (bytes[start] !== openBrace) return -1;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === closeBrace) return at + 1;
  while (bytes[at] === quote) {
    const keyEnd = closingQuote(bytes, at + 1);
    if (keyEnd === -1) return -1;
    const value = afterColon(bytes, keyEnd + 1);
    if (value === -1 || bytes[value] !== quote) return -1;
    const valueEnd = closingQuote(bytes, value + 1);
    if (valueEnd === -1) return -1;
    at = skipSpace(bytes, valueEnd + 1);
    if (bytes[at] === closeBrace) return at + 1;
    if (bytes[at] !== comma) return -1;
    at = skipSpace(bytes, at + 1);
  }
  return -1;
}

/**
 * Canonical JSON (RFC 8785) of a meta that afterMeta() accepted: plain ASCII needs no escapes, and bytes sort
 * as UTF-16 code units do. undefined when a limit is passed or a key stands twice.
 */
function canonicalMeta(bytes: Buffer, start: number): string | undefined {
  const members = new Map<string, string>();
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] === quote) {
    const keyEnd = closingQuote(bytes, at + 1);
    const value = afterColon(bytes, keyEnd + 1) + 1;
    const valueEnd = closingQuote(bytes, value);
    const key = bytes.toString("latin1", at + 1, keyEnd);
    if (members.has(key) || members.size === limits.metricMetaKeysMax) return undefined;
    if (key.length > limits.metricMetaKeyBytesMax) return undefined;
    if (valueEnd - value > limits.metricMetaValueBytesMax) return undefined;
    members.set(key, `"${key}":"${bytes.toString("latin1", value, valueEnd)}"`);
    at = skipSpace(bytes, valueEnd + 1);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
  }
  const keys = [...members.keys()].sort();
  const canonical = `{${keys.map((key) => members.get(key)).join(",")}}`;
  return canonical.length > limits.metricMetaBytesMax ? undefined : canonical;
}

const openBrace = 0x7b;
const closeBrace = 0x7d;
const comma = 0x2c;
