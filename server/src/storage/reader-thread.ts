import { parentPort } from "node:worker_threads";
import type { ObjectIndex } from "../console/object.ts";
import type { ConsoleContext } from "../console/stretches.ts";
import { FairShares } from "../ground/fair-shares.ts";
import { KeptOrders } from "../ground/kept-orders.ts";
import type { ServiceError } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
import { Slots } from "../ground/slots.ts";
import { BoundedCache } from "../points/bounded-cache.ts";
import { DrawnSources } from "../points/drawn-sources.ts";
import { ManySnapshots } from "../points/many-snapshots.ts";
import { Snapshots } from "../points/snapshots.ts";
import type { Database, ReadBounds, Reader } from "../database/database.ts";
import type { SeriesQuery } from "../experiments/series/query.ts";
import { failureRecord } from "../experiments/series/stream-form.ts";
import { openSeriesStream } from "../experiments/series/stream.ts";
import type { DrawnLine } from "../views/charts/selected-partitions.ts";
import { openPointsCsv } from "../views/charts/points-csv.ts";
import { linesFile } from "../views/exports/lines-file.ts";
import { pointsFile } from "../views/exports/points-file.ts";
import { openExperimentsFile } from "../views/exports/experiments-file.ts";
import { openRowsFile } from "../views/exports/rows-file.ts";
import { FoldThread } from "../views/groups/folding.ts";
import { openTableCsv } from "../views/table/table-csv.ts";
import type { MainCalls, Patience, ReaderCalls } from "./calls.ts";
import { carryError } from "./carried-error.ts";
import { readInstallation } from "./installation.ts";
import { memoryFigures } from "./memory-figures.ts";
import { openDatabase } from "./open-database.ts";
import { openBucket } from "./open-drivers.ts";
import { readOperations, replyOperations, type ReadContext } from "./operations.ts";
import { isCorruption, statementMsOf, streamError } from "./read-failure.ts";
import { fileReader } from "./read-files.ts";
import { Reads } from "./reads.ts";
import type { ExportRead, PointsCsvRead, TableCsvRead } from "./storage.ts";
import { ThreadCalls } from "./thread-calls.ts";

/** A reader thread: domain reads and series streams, on snapshots; it never writes. */

/**
 * Maximum of connections: as many long reads as HTTP runs at once (--max-reads), and some for
 * streams that begin; further ones wait in line here. One more is for objects on PostgreSQL, see
 * openPostgres.
 */
const connectionsMax = 6;
/**
 * Streams that begin at once, half of them of one organization. They wait for segments with a
 * connection in hand, and look-ups of credentials must find one beside them.
 */
const openingMax = 4;
const main = new ThreadCalls<MainCalls, ReaderCalls>(parentPort!);
main.serve({ open });

/** SQLite's cache in the first of several readers, which reads a few rows each time. */
const shortCacheKiB = 8_192;
/** Memory of all readers for tails and indexes of experiments. */
const cachedBytesMax = 128 * 1024 * 1024;
/**
 * Memory of all readers for charts: grains, of some 75 million points, and decoded points, of which
 * a hundred series of 100,000 take up to 115 MiB.
 */
const grainsBytesMax = 64 * 1024 * 1024;
const drawnBytesMax = 112 * 1024 * 1024;
/** Memory of all readers for lines as drawn last: some 50 of 1,600 columns, smoothed. */
const linesBytesMax = 16 * 1024 * 1024;
/** And for orders that are walked page by page: a hundred thousand rows by a number are 9 MB. */
const ordersBytesMax = 32 * 1024 * 1024;
/** And for indexes of consoles' objects: of some 100 GB of lines. */
const consoleIndexBytesMax = 16 * 1024 * 1024;

async function open(given: Parameters<ReaderCalls["open"]>[0]): Promise<void> {
  const { settings, readers, isFirst } = given;
  const cache = isFirst && readers > 1 ? { cacheKiB: shortCacheKiB } : {};
  const database = await openDatabase(settings, "read", { connectionsMax, ...cache });
  const { revisionJump } = await database.read(readInstallation);
  const bucket = await openBucket(settings, database);
  // The first of several readers draws nothing.
  const drawing = Math.max(1, readers - 1);
  const drawn = new DrawnSources(bucket, grainsBytesMax / drawing, drawnBytesMax / drawing);
  const snapshots = new Snapshots(bucket, cachedBytesMax / readers, drawn);
  const drawnLines = new BoundedCache<DrawnLine>(linesBytesMax / drawing);
  const orders = new KeptOrders(ordersBytesMax / drawing);
  const consoleObjects = new BoundedCache<ObjectIndex>(consoleIndexBytesMax / readers);
  const caches = { snapshots, drawnLines, orders, consoleObjects };
  const manySnapshots = () => new ManySnapshots(bucket, (...asked) => snapshots.take(...asked));
  const folds = new FoldThread();
  const kept = { ...caches, manySnapshots, folds, bucket, revisionJump, damage };
  const reads = new Reads<ReadContext>({
    database,
    reads: readOperations,
    replies: replyOperations,
    context: () => ({ nowMs: Date.now(), ...kept }),
    boundsOf,
  });
  /** Reports unreadable data to the operator, and returns the error that the reply contains. */
  function damage(error: unknown): ServiceError | undefined {
    if (!isCorruption(error)) return undefined;
    const told = reads.public(error) as ServiceError;
    const message = "A line of a chart cannot be read; its reply says so.";
    main.tell("warning", { message, error: carryError(told) });
    return told;
  }
  const opening = new Slots(new FairShares(openingMax));
  let streams = 0;
  main.serve({
    read: (asked, signal, begin) => reads.read(asked, signal, begin),
    reply: (asked, signal, begin) => reads.reply(asked, signal, begin),
    /** Takes the stream's snapshot; nothing is decoded before its first chunk is requested. */
    series({ query, pointsMax }) {
      const prefix = newId(Date.now());
      let count = 0;
      const newMessageId = () => `${prefix}-${count++}`;
      return reads.open(async () => {
        const chunks = await opening.in(query.organizationId, () =>
          database.read((reader) =>
            openSeriesStream(reader, snapshots, { ...query, pointsMax }, newMessageId),
          ),
        );
        if (chunks === undefined) return undefined;
        streams++;
        return endedByRecord(reads, query, chunks);
      });
    },
    ...fileCalls({ database, opening, ...kept, reads, opened: () => streams++ }),
    statistics: () => ({
      ...reads.figures,
      streams,
      open_streams: main.openStreams,
      ...memoryFigures(),
    }),
    async close() {
      await main.endStreams();
      await folds[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  });
}

/**
 * Returns the bounds of a read. Messages of the main thread are taken while a statement runs: above
 * all, that the client has left.
 */
function boundsOf(
  pace: Patience | undefined,
  holder: string,
  signal?: AbortSignal,
): ReadBounds | undefined {
  if (pace === undefined) return undefined;
  const isLeft = () => {
    main.takeArrived();
    return signal!.aborted;
  };
  const left = signal && pace === "patient" && { isLeft, left: signal };
  return { statementMs: statementMsOf[pace], holder, ...left };
}

interface FileTools extends ConsoleContext, Pick<ReadContext, "snapshots" | "damage"> {
  database: Database;
  snapshots: Snapshots;
  opening: Slots;
  reads: Reads<ReadContext>;
  opened: () => void;
}

/** Files that are read while they are taken; the first chunk of each says how much is in it. */
function fileCalls(tools: FileTools) {
  const { database, snapshots, bucket, consoleObjects, damage, opening, reads, opened } = tools;
  const patient = (organizationId: string, signal?: AbortSignal): Pick<Database, "read"> => ({
    read: (work) => database.read(work, boundsOf("patient", organizationId, signal)),
  });
  const readFile = fileReader(patient);
  return {
    async pointsCsv(query: PointsCsvRead, signal: AbortSignal | undefined) {
      const context = { snapshots, damage, ...(signal && { signal }) };
      const open = (reader: Reader) => openPointsCsv(reader, query, context);
      const chunks = await reads.open(() =>
        opening.in(query.organizationId, async () => (await database.read(open))()),
      );
      opened();
      return cutAtFailure(reads, chunks);
    },
    tableCsv(query: TableCsvRead, signal: AbortSignal | undefined) {
      opened();
      const moment = { nowMs: Date.now() };
      const open = (reader: Reader) => openTableCsv(reader, query, moment);
      return begun(cutAtFailure(reads, readFile(query.organizationId, open, signal)));
    },
    async exportFile(query: ExportRead, signal: AbortSignal | undefined) {
      opened();
      const nowMs = Date.now();
      const { organizationId } = query;
      if (query.of === "points" || query.of === "lines") {
        const read = <Result>(work: (reader: Reader) => Promise<Result>) =>
          opening.in(organizationId, () => patient(organizationId, signal).read(work), signal);
        const chunks =
          query.of === "points"
            ? pointsFile(query, { read, snapshots, nowMs })
            : linesFile(query, { read, consoles: { bucket, consoleObjects }, nowMs });
        return cutAtFailure(reads, chunks);
      }
      const { of, ...choice } = query;
      const open = (reader: Reader) =>
        of === "experiments"
          ? openExperimentsFile(reader, choice, nowMs)
          : openRowsFile(reader, { of, ...choice }, nowMs);
      return begun(cutAtFailure(reads, readFile(organizationId, open, signal)));
    },
  };
}

/** Waits for the first chunk, which only tells that the file is open. */
async function begun(file: AsyncGenerator<Uint8Array>): Promise<AsyncGenerator<Uint8Array>> {
  await file.next();
  return file;
}

/** Cuts a file at a failure: it has no place for an error. */
async function* cutAtFailure(
  reads: Reads<ReadContext>,
  chunks: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let isBegun = false;
  try {
    for await (const chunk of chunks) {
      isBegun = true;
      yield chunk;
    }
  } catch (error) {
    const told = reads.public(error);
    if (!isBegun) throw told;
    main.tell("warning", {
      message: "A file was cut off while it was sent.",
      error: carryError(told),
    });
    throw told;
  }
}

/** A failure is the stream's last record, and the operator's to know. */
async function* endedByRecord(
  reads: Reads<ReadContext>,
  { correlationId, form }: SeriesQuery,
  chunks: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let isBegun = false;
  try {
    for await (const chunk of chunks) {
      isBegun = true;
      yield chunk;
    }
  } catch (error) {
    const told = reads.public(error);
    const message = "A series stream failed; its reader got an error record.";
    main.tell("warning", { message, error: carryError(told) });
    yield failureRecord(form, streamError(correlationId, told), isBegun);
  }
}
