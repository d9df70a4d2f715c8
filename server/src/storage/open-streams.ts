import type { Database } from "../database/database.ts";
import { openSeriesStream } from "../series/stream.ts";
import type { SeriesQuery } from "../series/query.ts";
import { newId } from "../ground/ids.ts";
import type { Snapshots } from "../points/snapshots.ts";
import { publicReadError, streamErrorLine } from "./read-failure.ts";

interface OpenStream {
  chunks: AsyncGenerator<Uint8Array>;
  correlationId: string;
  /** Pulls of one stream run one after another. */
  turn: Promise<unknown>;
}

export interface StreamChunk {
  bytes: Uint8Array;
  last: boolean;
  /** What ended the stream early; its record is in `bytes`. */
  error?: unknown;
}

/** The series streams that are being read, in the reader thread. */
export class OpenStreams {
  private readonly database: Database;
  private readonly snapshots: Snapshots;
  private readonly streams = new Map<number, OpenStream>();

  constructor(database: Database, snapshots: Snapshots) {
    this.database = database;
    this.snapshots = snapshots;
  }

  get count(): number {
    return this.streams.size;
  }

  /** Takes the stream's snapshot; nothing is decoded before the first pull. */
  async open(id: number, query: SeriesQuery): Promise<void> {
    const prefix = newId(Date.now());
    let count = 0;
    const chunks = await this.database.read((reader) =>
      openSeriesStream(reader, this.snapshots, query, () => `${prefix}-${count++}`),
    );
    this.streams.set(id, { chunks, correlationId: query.correlationId, turn: Promise.resolve() });
  }

  /** The next chunk; undefined when the stream has ended or was cancelled before. Never rejects. */
  pull(id: number): Promise<StreamChunk | undefined> {
    const stream = this.streams.get(id);
    if (stream === undefined) return Promise.resolve(undefined);
    const chunk = stream.turn.then(() => this.next(id, stream));
    stream.turn = chunk;
    return chunk;
  }

  async cancel(id: number): Promise<void> {
    const stream = this.streams.get(id);
    this.streams.delete(id);
    await stream?.chunks.return(undefined);
  }

  async closeAll(): Promise<void> {
    for (const id of this.streams.keys()) await this.cancel(id);
  }

  private async next(id: number, stream: OpenStream): Promise<StreamChunk | undefined> {
    if (!this.streams.has(id)) return undefined;
    try {
      const { value, done } = await stream.chunks.next();
      if (done === true) this.streams.delete(id);
      return { bytes: value ?? new Uint8Array(0), last: done === true };
    } catch (error) {
      this.streams.delete(id);
      return {
        bytes: streamErrorLine(stream.correlationId, publicReadError(error)),
        last: true,
        error,
      };
    }
  }
}
