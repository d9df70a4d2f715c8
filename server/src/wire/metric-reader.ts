import { limits } from "@lossless/protocol";
import type { IdentifierHasher } from "../points/identifiers/hash.ts";
import {
  bytesPerPoint,
  counterFlag,
  type PointBatch,
  pointColumns,
  type PointColumns,
} from "../points/point-batch.ts";
import {
  AsciiText,
  AsciiWord,
  closeBrace,
  comma,
  isSpace,
  openBrace,
  quote,
} from "./ascii-text.ts";
import { BatchIdentifiers } from "./batch-identifiers.ts";
import { BatchPartitions, afterMeta } from "./batch-partitions.ts";
import { DecimalReader } from "./decimal-reader.ts";

/** Read once, not for each event: V8 keeps an object with this many members as a hash table. */
const { eventsPerRequestMax, messageIdCharactersMax, metricNameBytesMax } = limits;
const { stepMax, timestampMsMax } = limits;

/** A request of metrics alone, with the places of its texts, for the replies. */
export interface MetricRequest {
  points: PointBatch;
  /** An array gets an array of replies, one envelope gets one reply (batching rule 1). */
  isArray: boolean;
  body: Buffer;
  /**
   * For each point: messageId start and end, metricName start and end, as indexes into the body.
   */
  offsets: Uint32Array;
}

/**
 * The fast path of metric batches: reads the body of `POST /api/v2/experiments/{id}/events` byte by
 * byte into columns, without making an object or a string for an event.
 *
 * It accepts only a strict subset: every event is a valid `svc.v2.experiment.metric` of the
 * experiment in the URL, all strings are printable ASCII without escapes, no messageId is repeated.
 * For any other body, bad or only unusual, it returns undefined, and the general path (strict JSON,
 * checkRequestEvent) takes the body and words every error. Where it accepts, the general path would
 * have returned the same points.
 *
 * An instance holds scratch memory for one body at a time; read() never waits, so one a thread is
 * enough.
 */
export class MetricReader {
  readonly #identifiers: BatchIdentifiers;
  readonly #partitions = new BatchPartitions();
  readonly #decimal = new DecimalReader();
  readonly #columns: PointColumns;
  readonly #offsets = new Uint32Array(4 * eventsPerRequestMax);
  #text = new AsciiText(Buffer.alloc(0));
  #experimentId = new AsciiWord('""  ');
  #count = 0;
  // The event being read: where its texts stand.
  #messageStart = 0;
  #messageEnd = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #metaStart = 0;
  #metaEnd = 0;

  constructor(hasher: IdentifierHasher) {
    this.#identifiers = new BatchIdentifiers(hasher);
    const capacity = eventsPerRequestMax;
    this.#columns = pointColumns(new ArrayBuffer(capacity * bytesPerPoint), capacity);
  }

  /** undefined: the general path decides. The body stays in use until the replies are made. */
  read(body: Buffer, experimentId: string): MetricRequest | undefined {
    let length = body.length;
    while (length > 0 && isSpace(body[length - 1])) length--;
    const bytes = length === body.length ? body : body.subarray(0, length);
    const last = bytes[length - 1];
    if (last !== closeBracket && last !== closeBrace) return undefined;
    if (!plainId.test(experimentId)) return undefined;
    this.#start(bytes, experimentId);
    const at = this.#text.skipSpace(0);
    const isArray = bytes[at] === openBracket;
    const end = isArray ? this.#array(at + 1) : this.#event(at);
    return end === length ? this.#request(bytes, isArray) : undefined;
  }

  #start(bytes: Buffer, experimentId: string): void {
    this.#text = new AsciiText(bytes);
    this.#count = 0;
    this.#identifiers.start(this.#text);
    this.#partitions.start(this.#text);
    this.#experimentId = new AsciiWord(`"${experimentId}"`);
  }

  /** Reads events with commas between them and the closing bracket. */
  #array(start: number): number {
    const text = this.#text;
    const { bytes } = text;
    let at = text.skipSpace(start);
    while (true) {
      if (this.#count === eventsPerRequestMax) return -1;
      at = this.#event(at);
      if (at === -1) return -1;
      at = text.skipSpace(at);
      if (bytes[at] === closeBracket) return at + 1;
      if (bytes[at] !== comma) return -1;
      at = text.skipSpace(at + 1);
    }
  }

  /** Reads one envelope. */
  #event(start: number): number {
    const text = this.#text;
    const { bytes } = text;
    if (bytes[start] !== openBrace) return -1;
    let seen = 0;
    let at = start;
    do {
      at = text.skipSpace(at + 1);
      const field = envelopeField(bytes[at + 1]);
      if (field === 0 || (seen & field) !== 0) return -1;
      seen |= field;
      at = text.word(at, envelopeWords[field]);
      if (at === -1) return -1;
      at = text.colon(at);
      if (at === -1) return -1;
      at = this.#envelopeValue(field, at);
      if (at === -1) return -1;
      at = text.skipSpace(at);
    } while (bytes[at] === comma);
    if (bytes[at] !== closeBrace || (seen & envelopeRequired) !== envelopeRequired) return -1;
    return this.#finishEvent() ? at + 1 : -1;
  }

  #envelopeValue(field: number, at: number): number {
    const text = this.#text;
    if (field === event) return text.word(at, eventName);
    if (field === data) return this.#data(at);
    if (text.bytes[at] !== quote) return -1;
    const end = text.closingQuote(at + 1);
    if (end === -1 || end === at + 1 || end - at - 1 > messageIdCharactersMax) return -1;
    if (field === messageId) {
      this.#messageStart = at + 1;
      this.#messageEnd = end;
    }
    return end + 1;
  }

  /** The `data` object. */
  #data(start: number): number {
    const text = this.#text;
    const { bytes } = text;
    if (bytes[start] !== openBrace) return -1;
    let seen = 0;
    let at = start;
    do {
      at = text.skipSpace(at + 1);
      const field = dataField(bytes, at + 1);
      if (field === 0 || (seen & field) !== 0) return -1;
      seen |= field;
      at = text.word(at, dataWords[field]);
      if (at === -1) return -1;
      at = text.colon(at);
      if (at === -1) return -1;
      at = this.#dataValue(field, at);
      if (at === -1) return -1;
      at = text.skipSpace(at);
    } while (bytes[at] === comma);
    return bytes[at] === closeBrace && seen === dataRequired ? at + 1 : -1;
  }

  #dataValue(field: number, at: number): number {
    switch (field) {
      case experimentId:
        return this.#text.word(at, this.#experimentId);
      case timestampMs:
        return this.#integer(at, timestampMsMax, this.#columns.timestamp);
      case step:
        return this.#integer(at, stepMax, this.#columns.step);
      case metricName:
        return this.#name(at);
      case metricValue: {
        const end = this.#decimal.read(this.#text.bytes, at);
        const { value } = this.#decimal;
        if (value - value !== 0) return -1;
        this.#columns.value[this.#count] = value;
        return end;
      }
      default:
        return this.#meta(at);
    }
  }

  /** Digits alone are the common form; 1.0, 1e3 and -0 are integers, too (M7). */
  #integer(start: number, maximum: number, column: Float64Array): number {
    const { bytes } = this.#text;
    let value = 0;
    let at = start;
    let digit = bytes[at] - digit0;
    const first = digit;
    while (digit >= 0 && digit <= 9 && at - start < 16) {
      value = value * 10 + digit;
      digit = bytes[++at] - digit0;
    }
    const isPlain = at > start && (first !== 0 || at === start + 1) && endsInteger(bytes[at]);
    if (!isPlain) {
      at = this.#decimal.read(bytes, start);
      value = this.#decimal.value;
      if (at === -1 || !Number.isInteger(value)) return -1;
    }
    // Sixteen digits are exact up to 2^53 and not smaller than it beyond.
    if (value < 0 || value > maximum) return -1;
    column[this.#count] = value;
    return at;
  }

  #name(at: number): number {
    const text = this.#text;
    if (text.bytes[at] !== quote) return -1;
    const end = text.closingQuote(at + 1);
    if (end === -1 || end === at + 1 || end - at - 1 > metricNameBytesMax) return -1;
    this.#nameStart = at + 1;
    this.#nameEnd = end;
    return end + 1;
  }

  #meta(at: number): number {
    let end = this.#partitions.afterLatestMeta(at);
    if (end === -1) end = afterMeta(this.#text, at);
    this.#metaStart = at;
    this.#metaEnd = end;
    return end;
  }

  /** Partition, identifier and offsets of the event that was read. */
  #finishEvent(): boolean {
    const text = this.#text;
    const count = this.#count;
    const messageStart = this.#messageStart;
    const messageEnd = this.#messageEnd;
    const nameStart = this.#nameStart;
    const nameEnd = this.#nameEnd;
    const offsets = this.#offsets;
    const metaStart = this.#metaStart;
    const metaEnd = this.#metaEnd;
    const partition = this.#partitions.partition(text, nameStart, nameEnd, metaStart, metaEnd);
    if (partition === -1) return false;
    const kind = this.#identifiers.add(count, messageStart, messageEnd);
    if (kind === -1) return false;
    this.#columns.partition[count] = kind === 1 ? partition | counterFlag : partition;
    const at = 4 * count;
    offsets[at] = messageStart;
    offsets[at + 1] = messageEnd;
    offsets[at + 2] = nameStart;
    offsets[at + 3] = nameEnd;
    this.#count = count + 1;
    return true;
  }

  /** Copies the scratch columns to memory that can be transferred. */
  #request(body: Buffer, isArray: boolean): MetricRequest {
    const count = this.#count;
    const columns = this.#columns;
    const identifiers = this.#identifiers;
    const partitions = this.#partitions;
    const buffer = new ArrayBuffer(count * bytesPerPoint);
    const target = pointColumns(buffer, count);
    target.step.set(columns.step.subarray(0, count));
    target.timestamp.set(columns.timestamp.subarray(0, count));
    target.value.set(columns.value.subarray(0, count));
    target.identifier.set(identifiers.words.subarray(0, 4 * count));
    target.partition.set(columns.partition.subarray(0, count));
    const { prefixes } = identifiers;
    const points = { count, columns: buffer, partitions: partitions.keys, prefixes };
    return { points, isArray, body, offsets: this.#offsets.slice(0, 4 * count) };
  }
}

const openBracket = 0x5b;
const closeBracket = 0x5d;
const digit0 = 0x30;

/** Matches an id that needs no escapes in JSON. */
const plainId = /^[!#-[\]-~]{2,64}$/;

/** Whether a byte ends an integer: no fraction, no exponent and no further digit. */
const endsInteger = (byte: number): boolean =>
  byte === comma || byte === closeBrace || isSpace(byte);

// Fields of the envelope and of data, as bits.
const messageId = 1;
const event = 2;
const data = 4;
const correlationId = 8;
const envelopeRequired = messageId | event | data;

const experimentId = 1;
const timestampMs = 2;
const step = 4;
const metricName = 8;
const metricValue = 16;
const meta = 32;
const dataRequired = 63;

const eventName = new AsciiWord('"svc.v2.experiment.metric"');

const envelopeWords: Record<number, AsciiWord> = {
  [messageId]: new AsciiWord('"messageId"'),
  [event]: new AsciiWord('"event"'),
  [data]: new AsciiWord('"data"'),
  [correlationId]: new AsciiWord('"correlationId"'),
};

const dataWords: Record<number, AsciiWord> = {
  [experimentId]: new AsciiWord('"experimentId"'),
  [timestampMs]: new AsciiWord('"timestampMs"'),
  [step]: new AsciiWord('"step"'),
  [metricName]: new AsciiWord('"metricName"'),
  [metricValue]: new AsciiWord('"metricValue"'),
  [meta]: new AsciiWord('"meta"'),
};

/**
 * Returns the field whose name may start with this letter; the whole name is compared afterwards.
 */
function envelopeField(letter: number): number {
  switch (letter) {
    case 0x6d:
      return messageId;
    case 0x65:
      return event;
    case 0x64:
      return data;
    case 0x63:
      return correlationId;
    default:
      return 0;
  }
}

function dataField(bytes: Buffer, at: number): number {
  switch (bytes[at]) {
    case 0x65:
      return experimentId;
    case 0x74:
      return timestampMs;
    case 0x73:
      return step;
    case 0x6d:
      if (bytes[at + 3] === 0x61) return meta;
      return bytes[at + 6] === 0x4e ? metricName : metricValue;
    default:
      return 0;
  }
}
