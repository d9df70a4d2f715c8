import {
  columnRecordsType,
  isOfColumnRecords,
  parseColumnRecords,
  StreamChangedError,
} from "./column-records.ts";
import { endpoints } from "./endpoints.ts";
import { EventError, IncompleteStreamError, ProtocolError, RequestError } from "./errors.ts";
import { freshMessageId } from "./message-id.ts";
import { parseLines } from "./ndjson.ts";
import type { OrganizationAccess } from "./organization-access.ts";
import { eventFailure, isObject } from "./replies.ts";
import { isTransient, type RetryPolicy, withRetries } from "./retry.ts";
import type { FilterPredicate } from "./wire.ts";

export interface SeriesSelection {
  experimentId: string;
  /** Up to 1,000 names; absent: every series of the experiment. */
  seriesNames?: string[];
  /** Up to 32 predicates that must all match a partition; absent: every partition. */
  filter?: FilterPredicate[];
  /**
   * The axis by which points of a partition are sorted, ascending: `step` (default) or `timestamp`.
   */
  xAxis?: "step" | "timestamp";
}

/** Points of one partition, one array index each. A long partition comes in several blocks. */
export interface SeriesBlock {
  seriesName: string;
  metadata: Record<string, string>;
  /** null only for points of older installations. */
  step: (number | null)[];
  timestampMs: number[];
  value: number[];
}

/** All points of one partition. */
export interface SeriesPartition extends SeriesBlock {}

/**
 * Streams series block by block in constant memory: only the current block is held, and the service
 * waits for a slow reader. The loop ends normally only when the stream was complete: `done` arrived
 * and its totals equal the counts (stream rules 5 to 7). Otherwise it throws IncompleteStreamError,
 * the EventError of an error record, or ConnectionError, maybe after some blocks: drop those and
 * read again, or use `collectSeries`, which does that.
 */
export async function* streamSeries(
  access: OrganizationAccess,
  selection: SeriesSelection,
  signal?: AbortSignal,
): AsyncGenerator<SeriesBlock, void, undefined> {
  const messageId = freshMessageId();
  const { experimentId, seriesNames, filter = [], xAxis = "step" } = selection;
  const body = JSON.stringify({
    messageId,
    event: "svc.v2.query.experimentseries",
    data: { experimentId, seriesNames, filter, xAxis },
  });
  const totals = new StreamTotals();
  for await (const record of streamedRecords(access, body, signal)) {
    const { event, data } = checkedRecord(record, messageId);
    totals.assertOpen(event);
    switch (event) {
      case "svc.v2.query.series.data": {
        const block = seriesBlock(data, experimentId);
        totals.countBlock(block);
        yield block;
        break;
      }
      case "svc.v2.query.experimentseries.series":
        totals.checkSeries(data);
        break;
      case "svc.v2.query.experimentseries.done":
        totals.checkDone(data);
        break;
      case "svc.v2.error":
        throw new EventError(eventFailure(data));
      default:
        throw new ProtocolError(`the stream has an unknown record: ${event}`);
    }
  }
  totals.assertDone();
}

/**
 * The records of a stream, asked for as columns (extension) and lines. A service that has no
 * columns sends lines; where something on the way refuses or changes columns, lines alone are
 * asked for from then on.
 */
async function* streamedRecords(
  access: OrganizationAccess,
  body: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  const request = { ...endpoints.querySeries, body, signal };
  if (access.asksForColumns) {
    try {
      const accept = `${columnRecordsType}, ${linesType};q=0.9`;
      return yield* parseRecords(access.stream({ ...request, accept }));
    } catch (error) {
      if (error instanceof StreamChangedError) access.asksForColumns = false;
      // A proxy's, before any record: the service refuses no type.
      if (!isRefusedType(error)) throw error;
      access.asksForColumns = false;
    }
  }
  yield* parseRecords(access.stream({ ...request, accept: linesType }));
}

function isRefusedType(error: unknown): boolean {
  if (!(error instanceof RequestError) || error.code !== "unknown") return false;
  return [400, 403, 406, 415].includes(error.status);
}

async function* parseRecords(
  chunks: AsyncGenerator<Uint8Array>,
): AsyncGenerator<unknown, void, undefined> {
  const first = await chunks.next();
  if (first.done === true) return;
  const whole = continued(first.value, chunks);
  yield* isOfColumnRecords(first.value) ? parseColumnRecords(whole) : parseLines(whole);
}

async function* continued(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

const linesType = "application/x-ndjson";

/**
 * Reads whole partitions into memory (24 bytes a point and more), sorted as sent by the service. A
 * broken stream is read again from the start and its partial data dropped, so nothing is duplicated
 * (stream rule 7).
 */
export async function collectSeries(
  access: OrganizationAccess,
  selection: SeriesSelection,
  policy: RetryPolicy,
  signal?: AbortSignal,
): Promise<SeriesPartition[]> {
  const attempt = async (): Promise<SeriesPartition[]> => {
    const partitions = new Map<string, SeriesPartition>();
    for await (const block of streamSeries(access, selection, signal)) join(partitions, block);
    return [...partitions.values()];
  };
  const mayRetry = (error: unknown): boolean =>
    isTransient(error) || error instanceof IncompleteStreamError;
  return withRetries(policy, attempt, mayRetry, signal);
}

function join(partitions: Map<string, SeriesPartition>, block: SeriesBlock): void {
  const metadata = Object.entries(block.metadata).sort(([left], [right]) =>
    left < right ? -1 : 1,
  );
  const key = JSON.stringify([block.seriesName, metadata]);
  const partition = partitions.get(key);
  if (partition === undefined) {
    partitions.set(key, block);
    return;
  }
  for (let index = 0; index < block.value.length; index++) {
    partition.step.push(block.step[index]);
    partition.timestampMs.push(block.timestampMs[index]);
    partition.value.push(block.value[index]);
  }
}

/** Compares the counts of what arrived with the totals of the service. */
class StreamTotals {
  #batches = 0;
  #points = 0;
  #series = 0;
  #isDone = false;
  /**
   * Counts of series whose summary has not arrived yet; records of several may interleave (rule 4).
   */
  readonly #open = new Map<string, { batches: number; points: number }>();
  readonly #summarised = new Set<string>();

  assertOpen(event: string): void {
    if (this.#isDone) throw new ProtocolError(`the stream continues after done: ${event}`);
  }

  countBlock(block: SeriesBlock): void {
    const { seriesName } = block;
    if (this.#summarised.has(seriesName)) {
      throw new IncompleteStreamError(`data of ${seriesName} arrived after its last record`);
    }
    const counts = this.#open.get(seriesName) ?? { batches: 0, points: 0 };
    counts.batches++;
    counts.points += block.value.length;
    this.#open.set(seriesName, counts);
    this.#batches++;
    this.#points += block.value.length;
  }

  checkSeries(data: Record<string, unknown>): void {
    const seriesName = String(data["seriesName"]);
    const counts = this.#open.get(seriesName) ?? { batches: 0, points: 0 };
    compare(`series ${seriesName}`, data, { ...counts });
    this.#open.delete(seriesName);
    this.#summarised.add(seriesName);
    this.#series++;
  }

  checkDone(data: Record<string, unknown>): void {
    const [unfinished] = this.#open.keys();
    if (unfinished !== undefined) {
      throw new IncompleteStreamError(`the stream ended without the end of series ${unfinished}`);
    }
    const counts = { series: this.#series, batches: this.#batches, points: this.#points };
    compare("the stream", data, counts);
    this.#isDone = true;
  }

  assertDone(): void {
    if (this.#isDone) return;
    throw new IncompleteStreamError(
      `the stream ended without done after ${this.#points} points; read it again from the start`,
    );
  }
}

function compare(
  what: string,
  data: Record<string, unknown>,
  counted: Record<string, number>,
): void {
  for (const [name, count] of Object.entries(counted)) {
    if (data[name] === count) continue;
    throw new IncompleteStreamError(
      `${what}: the service sent ${String(data[name])} ${name}, ${count} arrived; read it again from the start`,
    );
  }
}

function checkedRecord(
  record: unknown,
  messageId: string,
): { event: string; data: Record<string, unknown> } {
  if (isObject(record) && record["correlationId"] === messageId) {
    const { event, data } = record;
    if (typeof event === "string" && isObject(data)) return { event, data };
  }
  throw new ProtocolError("the stream has a line that is not a record of this query");
}

function seriesBlock(data: Record<string, unknown>, experimentId: string): SeriesBlock {
  const { seriesName, metadata, data: columns } = data;
  if (typeof seriesName === "string" && isObject(metadata) && isObject(columns)) {
    const { step, timestampMs, value } = columns;
    if (
      data["experimentId"] === experimentId &&
      Array.isArray(step) &&
      Array.isArray(timestampMs) &&
      Array.isArray(value) &&
      step.length === value.length &&
      timestampMs.length === value.length
    ) {
      return {
        seriesName,
        metadata: metadata as Record<string, string>,
        step: step as (number | null)[],
        timestampMs: timestampMs as number[],
        value: value as number[],
      };
    }
  }
  throw new ProtocolError("a data record of the stream is malformed");
}
