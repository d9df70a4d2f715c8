import { ServiceError } from "../ground/errors.ts";
import type { Share } from "../ground/fair-shares.ts";
import { ChunksAhead } from "./chunks-ahead.ts";
import type { Database, Reader } from "./database.ts";

export interface ReadChunks {
  chunks: AsyncGenerator<Uint8Array>;
  /** Total time to wait for the consumer. */
  timeMs: number;
}

/**
 * Reads a stream on one snapshot, ahead of its consumer: as long as a snapshot lasts, the database
 * keeps overwritten rows. The read ends when all is read, when the consumer leaves, or when the
 * chunks fill their share of memory and the consumer was waited for long enough. The stream's first
 * chunk is empty: it tells that the stream is open.
 */
export async function* readStream(
  database: Pick<Database, "read">,
  open: (reader: Reader) => Promise<ReadChunks>,
  memory: Share,
): AsyncGenerator<Uint8Array> {
  using _ = memory;
  const ahead = new ChunksAhead(memory);
  const opened = Promise.withResolvers<void>();
  const read = database
    .read(async (reader) => {
      const { chunks, timeMs } = await open(reader);
      opened.resolve();
      await readAhead(chunks, timeMs, ahead);
    })
    // After the opening there is nothing to commit; a failure ends the chunks.
    .catch((error: unknown) => {
      opened.reject(error);
      ahead.end({ failure: error });
    });
  try {
    await opened.promise;
    yield new Uint8Array(0);
    yield* ahead.taken();
  } finally {
    ahead.leave();
    await read;
  }
}

async function readAhead(
  chunks: AsyncGenerator<Uint8Array>,
  timeMs: number,
  ahead: ChunksAhead,
): Promise<void> {
  let leftMs = timeMs;
  for await (const chunk of chunks) {
    const sinceMs = performance.now();
    const fate = await ahead.add(chunk, leftMs);
    if (fate === "left") return;
    if (fate === "late")
      throw new ServiceError("overloaded", "The client read the file too slowly.");
    leftMs -= performance.now() - sinceMs;
  }
  ahead.end();
}
