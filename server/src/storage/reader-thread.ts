import { randomUUID } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { errors, type ErrorCode } from "@lossless/protocol";
import { ObjectMissing, ObjectShort } from "../buckets/bucket.ts";
import { DatabaseError, type Reader } from "../database/database.ts";
import { ServiceError } from "../errors.ts";
import { openSeriesStream } from "../metrics/series-stream.ts";
import { CorruptData } from "../points/corrupt-data.ts";
import { Snapshots } from "../points/snapshots.ts";
import { carryError } from "./carried-error.ts";
import { readInstallation } from "./installation.ts";
import type { FromReader, ThreadSettings, ToReader } from "./messages.ts";
import { openBucket, openDatabase } from "./open-drivers.ts";
import { readOperations, type ReadContext } from "./operations.ts";

/** The reader thread: domain reads and series streams, on snapshots; it never writes. */

const port = parentPort!;
const settings = workerData as ThreadSettings;
const tell = (message: FromReader, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

try {
  await start();
} catch (error) {
  tell({ type: "fatal", error: carryError(error) });
}

async function start(): Promise<void> {
  const database = openDatabase(settings, "read");
  const { revisionJump } = await database.read(readInstallation);
  const snapshots = new Snapshots(openBucket(settings));
  const streams = new Map<number, OpenStream>();
  const figures = { reads: 0, streams: 0, corruptions: 0 };
  const operations = readOperations as Record<string, ReadOperation>;
  const context = (): ReadContext => ({ nowMs: Date.now(), revisionJump, snapshots });

  const readable = (error: unknown) => {
    if (isCorruption(error)) figures.corruptions++;
    return carryError(publicError(error));
  };

  const read = async ({ id, name, input }: ToReader & { type: "read" }) => {
    figures.reads++;
    try {
      const operation = operations[name];
      if (operation === undefined) throw new Error(`BUG: no read operation ${name}`);
      const value = await database.read((reader) => operation(reader, input, context()));
      tell({ type: "value", id, value });
    } catch (error) {
      tell({ type: "error", id, error: readable(error) });
    }
  };

  const open = async ({ id, query }: ToReader & { type: "stream" }) => {
    figures.streams++;
    const prefix = randomUUID().slice(0, 18);
    let count = 0;
    try {
      const chunks = await database.read((reader) =>
        openSeriesStream(reader, snapshots, query, () => `${prefix}-${count++}`),
      );
      streams.set(id, { chunks, correlationId: query.correlationId, turn: Promise.resolve() });
      tell({ type: "opened", id });
    } catch (error) {
      tell({ type: "error", id, error: readable(error) });
    }
  };

  const pull = async (id: number) => {
    const stream = streams.get(id);
    if (stream === undefined) return;
    try {
      const { value, done } = await stream.chunks.next();
      if (done === true) streams.delete(id);
      const bytes = value ?? new Uint8Array(0);
      tell({ type: "chunk", id, bytes, last: done === true }, [bytes.buffer as ArrayBuffer]);
    } catch (error) {
      streams.delete(id);
      const { code, message } = readable(error);
      tell({ type: "chunk", id, bytes: errorLine(stream.correlationId, code, message), last: true });
    }
  };

  const close = async () => {
    for (const { chunks } of streams.values()) await chunks.return(undefined);
    await database[Symbol.asyncDispose]();
    tell({ type: "closed" });
    port.close();
  };

  port.on("message", (message: ToReader) => {
    switch (message.type) {
      case "read":
        void read(message);
        break;
      case "stream":
        void open(message);
        break;
      case "pull": {
        const stream = streams.get(message.id);
        if (stream !== undefined) stream.turn = stream.turn.then(() => pull(message.id));
        break;
      }
      case "cancel":
        void streams.get(message.id)?.chunks.return(undefined).catch(() => undefined);
        streams.delete(message.id);
        break;
      case "statistics":
        tell({ type: "statistics", id: message.id, figures: { ...figures, open_streams: streams.size } });
        break;
      case "close":
        void close();
        break;
    }
  });
  tell({ type: "ready" });
}

type ReadOperation = (reader: Reader, input: unknown, context: ReadContext) => Promise<unknown>;

interface OpenStream {
  chunks: AsyncGenerator<Uint8Array>;
  correlationId: string;
  /** Pulls of one stream run one after another. */
  turn: Promise<void>;
}

function isCorruption(error: unknown): boolean {
  return (
    error instanceof CorruptData ||
    error instanceof ObjectMissing ||
    error instanceof ObjectShort ||
    (error instanceof DatabaseError && error.kind === "corrupt")
  );
}

/** Faults of storage get the code that tells the caller what to do; defects stay as they are (500, logged). */
function publicError(error: unknown): unknown {
  if (isCorruption(error)) {
    const { message, stack } = error as Error;
    const corrupted = new ServiceError("data_corrupted", errors.data_corrupted.sentence);
    corrupted.stack = `${message}\n${stack ?? ""}`;
    return corrupted;
  }
  if (error instanceof DatabaseError && error.kind !== "conflict") {
    return new ServiceError("storage_unavailable", errors.storage_unavailable.sentence);
  }
  return error;
}

/** The record that ends a failed stream. */
function errorLine(correlationId: string, code = "internal", message = ""): Uint8Array {
  const { status, sentence } = errors[code as ErrorCode];
  const record = {
    messageId: randomUUID(),
    correlationId,
    event: "svc.v2.error",
    data: {
      code,
      message: code === "internal" ? sentence : message,
      status,
      retryable: status === 429 || status >= 500,
      details: {},
    },
  };
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`);
}
