import type { ErrorCode } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import type { SeriesQuery } from "../experiments/series/query.ts";
import type { PointsCsvRead } from "../views/charts/points-csv.ts";
import type { ExportRead } from "../views/exports/export-file.ts";
import type { TableCsvRead } from "../views/table/table-csv.ts";
import { PointResult, type PointBatch } from "../points/point-batch.ts";
import type { Room } from "../database/quotas/refusal.ts";
import type { ReplyBytes } from "../ground/reply-text.ts";
import { isShortRead } from "./short-reads.ts";
import type { ReadOperations, ReplyOperations, WriteOperations } from "./operations.ts";

/**
 * The stored data as the HTTP side sees it. Behind it are threads (a writer, readers, one for
 * background work), so that no caller ever waits for a disk on the event loop.
 */
export interface Storage extends AsyncDisposable {
  /**
   * Runs the writes of one request, in order, inside one group commit. Resolves when all of them
   * are on stable storage, with one outcome each: a failed write does not affect the others (a
   * batch is not a transaction). Rejects with ServiceError `storage_unavailable`, `storage_full` or
   * `overloaded` when nothing was written, or when the outcome is unknown (`storage_unavailable`).
   */
  write(writes: Write[]): Promise<Outcome[]>;
  /**
   * Runs one read on a consistent snapshot that holds every write acknowledged before; one of an
   * organization's experiments or folders also every event's write that this process was handed
   * before, acknowledged or not. Rejects with ServiceError. Its work ends when `signal` aborts, and
   * then it rejects.
   */
  read<Name extends keyof ReadOperations>(
    name: Name,
    input: Parameters<ReadOperations[Name]>[1],
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<ReadOperations[Name]>>>;
  /**
   * Reads a result to pass on: the UTF-8 bytes of its JSON, in pieces, never parsed or printed on
   * this thread. A result larger than `bytes` allows is `result_too_large`. Work that reads many
   * points ends when `signal` aborts, and rejects.
   */
  readReply<Name extends keyof ReplyOperations>(
    name: Name,
    input: Parameters<ReplyOperations[Name]>[1],
    bytes: ReplyBytes,
    signal?: AbortSignal,
  ): Promise<Uint8Array[]>;
  /**
   * Opens a stream of series: a snapshot is taken before it resolves. The iterable yields chunks of
   * NDJSON (whole lines); leaving the loop early frees everything. After an error inside the stream
   * the last line is an `svc.v2.error` record.
   */
  stream(query: SeriesQuery): Promise<AsyncIterable<Uint8Array>>;
  /**
   * The same for a file of points: the first chunk is their number, the others are CSV. After an
   * error inside the stream the iterable throws. Opening it ends when `signal` aborts, and rejects.
   */
  pointsCsv(query: PointsCsvRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** The same for the rows of a table, which its reader may not take for ever. */
  tableCsv(query: TableCsvRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Reads a Parquet file in the same way; its first chunk is the number of its experiments. */
  exportFile(query: ExportRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Somebody opens a page: starts what long reads need, so that the first one does not wait. */
  expectReads(): void;
  /** Counters of the threads for the operator's page, by `<thread>_<name>`. */
  statistics(): Promise<Record<string, number>>;
}

export type Write =
  | { kind: "metrics"; experimentId: string; points: PointBatch }
  | {
      [Name in keyof WriteOperations]: {
        kind: "call";
        name: Name;
        input: Parameters<WriteOperations[Name]>[1];
        /** Points that the operation appends itself, atomically with its other writes. */
        recorded?: { experimentId: string; points: PointBatch };
      };
    }[keyof WriteOperations];

export { isShortRead, PointResult };
export type {
  ExportRead,
  PointsCsvRead,
  ReadOperations,
  ReplyOperations,
  SeriesQuery,
  TableCsvRead,
  WriteOperations,
};

/**
 * `results` has one PointResult a point, in request order; `room` how far the organization's quota
 * is used up after them, where it has one.
 */
export type Outcome =
  | { kind: "metrics"; results: Uint8Array; room?: Room }
  | { kind: "value"; value: unknown }
  | { kind: "error"; code: string; message: string; details: Record<string, unknown> };

/** The points of a write, if it has any. */
export function pointsOf(write: Write): PointBatch | undefined {
  return write.kind === "metrics" ? write.points : write.recorded?.points;
}

/** Runs one write operation and returns its result; throws its error. */
export async function writeOne<Name extends keyof WriteOperations>(
  storage: Pick<Storage, "write">,
  name: Name,
  input: Parameters<WriteOperations[Name]>[1],
  recorded?: { experimentId: string; points: PointBatch },
): Promise<ResultOf<WriteOperations[Name]>> {
  const call = { kind: "call", name, input, ...(recorded && { recorded }) } as Write;
  const [outcome] = await storage.write([call]);
  if (outcome?.kind === "value") return outcome.value as ResultOf<WriteOperations[Name]>;
  if (outcome?.kind !== "error") throw new Error(`BUG: outcome of ${name} is ${outcome?.kind}`);
  throw new ServiceError(outcome.code as ErrorCode, outcome.message, outcome.details);
}

type ResultOf<Operation extends (...given: never) => unknown> = Awaited<ReturnType<Operation>>;
