import type { MetricData } from "@lossless/protocol";
import type { WithMetaText } from "../ground/meta-text.ts";
import {
  counterHigh,
  counterLow,
  counterStart,
  counterValue,
} from "../points/identifiers/counter.ts";
import type { IdentifierHasher } from "../points/identifiers/hash.ts";
import {
  bytesPerPoint,
  counterFlag,
  partitionKey,
  type PointBatch,
  pointColumns,
  type PointColumns,
} from "../points/point-batch.ts";

/** Writes validated metric events into the columns of one batch, in request order. */
export class PointBatchBuilder {
  readonly #hasher: IdentifierHasher;
  readonly #capacity: number;
  readonly #buffer: ArrayBuffer;
  readonly #columns: PointColumns;
  readonly #partitions = new Map<string, number>();
  readonly #prefixes = new Map<string, number>();
  #count = 0;

  constructor(capacity: number, hasher: IdentifierHasher) {
    this.#hasher = hasher;
    this.#capacity = capacity;
    this.#buffer = new ArrayBuffer(capacity * bytesPerPoint);
    this.#columns = pointColumns(this.#buffer, capacity);
  }

  add(
    messageId: string,
    { step, timestampMs, metricValue, metricName, meta }: WithMetaText<MetricData>,
  ): void {
    const at = this.#count;
    const columns = this.#columns;
    // Adding 0 turns -0 into 0 (M7), so that equal numbers have equal bits.
    columns.step[at] = step + 0;
    columns.timestamp[at] = timestampMs + 0;
    columns.value[at] = metricValue + 0;
    const partition = numberOf(this.#partitions, partitionKey(metricName, meta));
    columns.partition[at] = this.#identify(messageId, 4 * at) ? partition | counterFlag : partition;
    this.#count += 1;
  }

  finish(): PointBatch {
    if (this.#count !== this.#capacity) {
      throw new Error(`BUG: a batch for ${this.#capacity} points got ${this.#count}`);
    }
    return {
      count: this.#count,
      columns: this.#buffer,
      partitions: [...this.#partitions.keys()],
      prefixes: [...this.#prefixes.keys()],
    };
  }

  /** Writes the identifier's four words; true when it is a counter identifier. */
  #identify(messageId: string, at: number): boolean {
    const words = this.#columns.identifier;
    const start = counterStart(messageId);
    if (start === -1) {
      this.#hasher.hash(messageId, words, at);
      return false;
    }
    const counter = counterValue(messageId, start);
    words[at] = numberOf(this.#prefixes, messageId.slice(0, start - 1));
    words[at + 1] = 0;
    words[at + 2] = counterHigh(counter);
    words[at + 3] = counterLow(counter);
    return true;
  }
}

function numberOf(numbers: Map<string, number>, key: string): number {
  const found = numbers.get(key);
  if (found !== undefined) return found;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}
