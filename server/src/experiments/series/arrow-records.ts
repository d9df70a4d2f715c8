import { limits } from "@lossless/protocol/limits";
import {
  type ArrowField,
  batchMessage,
  continuation,
  dictionaryMessage,
  endOfStream,
  schemaMessage,
} from "../../ground/arrow/arrow-messages.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { Points } from "../../points/tail.ts";
import type { RecordPartition, RecordsOf, RecordWriter } from "./record-writer.ts";

/** Rows of a batch, however few points a partition has. */
const rowsPerBatch = 8_192;
const chunkBytes = 128 * 1024;

const fields: readonly ArrowField[] = [
  { name: "seriesName", type: "text" },
  { name: "metadata", type: "text" },
  { name: "step", type: "int64", isNullable: true },
  { name: "timestampMs", type: "int64" },
  { name: "value", type: "double" },
];

/**
 * Points as an Arrow stream: docs/columns.md describes it. Each piece ends with the first bytes of
 * the message that follows, so that a stream which is cut between two pieces ends within a message,
 * and no reader takes it for whole.
 */
export class ArrowRecords implements RecordWriter {
  readonly #series: Map<string, number>;
  readonly #metas: Map<string, number>;
  readonly #rows = new Rows();
  #parts: Uint8Array[] = [continuation];
  #bytes = continuation.length;
  #batches = 0;

  /** Names and metas are those of all points to come. */
  constructor(
    { experimentId }: Pick<RecordsOf, "experimentId">,
    names: readonly string[],
    metas: readonly string[],
  ) {
    [this.#series, this.#metas] = numbered(names, metas);
    this.#add(schemaMessage(fields, { "lossless.version": "1", experimentId }));
    this.#add(dictionaryMessage(0, [...this.#series.keys()]));
    this.#add(dictionaryMessage(1, [...this.#metas.keys()]));
  }

  get isFull(): boolean {
    return this.#bytes >= chunkBytes;
  }

  points({ name, meta }: RecordPartition, points: Points): void {
    const series = this.#series.get(name)!;
    const metadata = this.#metas.get(meta)!;
    for (let at = 0; at < points.step.length;) {
      at += this.#rows.add(series, metadata, points, at);
      if (this.#rows.count === rowsPerBatch) this.#endBatch();
    }
  }

  record(event: string, data: object): void {
    if (!event.endsWith(".done")) return;
    if (this.#rows.count > 0) this.#endBatch();
    const counts = { ...data, batches: this.#batches };
    this.#add(lastBatch({ "lossless.done": JSON.stringify(counts) }));
    this.#push(endOfStream);
  }

  take(): Uint8Array<ArrayBuffer> {
    const joined = new Uint8Array(this.#bytes);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#bytes = 0;
    return joined;
  }

  #endBatch(): void {
    this.#batches++;
    this.#add(batchMessage(this.#rows.count, this.#rows.take()));
  }

  #add(message: Uint8Array): void {
    this.#push(message);
    this.#push(continuation);
  }

  #push(part: Uint8Array): void {
    this.#parts.push(part);
    this.#bytes += part.length;
  }
}

/**
 * The last piece of a stream that failed, with the opening where nothing was sent: there is no end
 * of the stream behind it.
 */
export function arrowFailure(record: object, isBegun: boolean): Uint8Array {
  const opening = isBegun ? [] : [new ArrowRecords({ experimentId: "" }, [], []).take()];
  const message = lastBatch({ "lossless.error": JSON.stringify(record) });
  return Buffer.concat([...opening, message, continuation]);
}

/** A batch without rows, for what is said at the end. */
function lastBatch(metadata: Record<string, string>): Uint8Array {
  return batchMessage(0, new Rows(0).take(), metadata);
}

/** Distinct texts of each list by their number in its dictionary. */
function numbered(...lists: (readonly string[])[]): Map<string, number>[] {
  let characters = 0;
  return lists.map((texts) => {
    const numbers = new Map<string, number>();
    for (const text of texts) {
      if (numbers.has(text)) continue;
      numbers.set(text, numbers.size);
      characters += text.length;
      if (characters > limits.arrowDictionaryCharactersMax) throw tooLong();
    }
    return numbers;
  });
}

function tooLong(): ServiceError {
  return new ServiceError(
    "validation_failed",
    `Nothing was read: the names and metas of these series have more than ${limits.arrowDictionaryCharactersMax} characters, which is too much for an Arrow stream. Ask for fewer series, or for another form.`,
  );
}

/** The rows of one batch. */
class Rows {
  count = 0;
  readonly #series: Int32Array;
  readonly #metadata: Int32Array;
  readonly #step: Uint32Array;
  readonly #timestamp: Uint32Array;
  readonly #value: Float64Array;

  constructor(room = rowsPerBatch) {
    this.#series = new Int32Array(room);
    this.#metadata = new Int32Array(room);
    this.#step = new Uint32Array(2 * room);
    this.#timestamp = new Uint32Array(2 * room);
    this.#value = new Float64Array(room);
  }

  /** Adds points from `start` on, and returns how many there was room for. */
  add(series: number, metadata: number, points: Points, start: number): number {
    const at = this.count;
    const added = Math.min(points.step.length - start, rowsPerBatch - at);
    const end = at + added;
    this.#series.fill(series, at, end);
    this.#metadata.fill(metadata, at, end);
    copyWhole(this.#step, at, points.step.subarray(start, start + added));
    copyWhole(this.#timestamp, at, points.timestamp.subarray(start, start + added));
    this.#value.set(points.value.subarray(start, start + added), at);
    this.count = end;
    return added;
  }

  /** Returns the columns, which are valid until more is added. */
  take(): ArrayBufferView[] {
    const { count } = this;
    this.count = 0;
    return [
      this.#series.subarray(0, count),
      this.#metadata.subarray(0, count),
      this.#step.subarray(0, 2 * count),
      this.#timestamp.subarray(0, 2 * count),
      this.#value.subarray(0, count),
    ];
  }
}

/** Writes whole numbers that are not negative as 64 bits, from halves: a BigInt each is slow. */
function copyWhole(target: Uint32Array, at: number, numbers: Float64Array): void {
  let place = 2 * at;
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index];
    target[place++] = number >>> 0;
    target[place++] = (number / 4_294_967_296) >>> 0;
  }
}
