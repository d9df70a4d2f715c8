import { ServiceError } from "../ground/errors.ts";
import type { Database, Reader } from "./database.ts";

export interface ReadChunks {
  chunks: AsyncGenerator<Uint8Array>;
  /** So long their reader may be waited for, in all. */
  timeMs: number;
}

/**
 * A stream that is read on one snapshot as its chunks are taken. The snapshot ends with the stream,
 * or when its reader has been waited for long enough: as long as it lasts, the database keeps what
 * others have written over. Its first chunk is empty: then it is open.
 */
export async function* readStream(
  database: Pick<Database, "read">,
  open: (reader: Reader) => Promise<ReadChunks>,
): AsyncGenerator<Uint8Array> {
  const opened = Promise.withResolvers<ReadChunks>();
  const ended = Promise.withResolvers<void>();
  const transaction = database
    .read(async (reader) => {
      opened.resolve(await open(reader));
      await ended.promise;
    })
    // After it was opened there is nothing to commit.
    .catch(opened.reject);
  let timer: NodeJS.Timeout | undefined;
  try {
    const { chunks, timeMs } = await opened.promise;
    let waitedMs = 0;
    let isOver = false;
    const end = () => {
      isOver = true;
      ended.resolve();
    };
    for await (const chunk of behindNothing(chunks)) {
      const sinceMs = performance.now();
      timer = setTimeout(end, timeMs - waitedMs);
      yield chunk;
      clearTimeout(timer);
      waitedMs += performance.now() - sinceMs;
      if (isOver) throw new ServiceError("overloaded", "A file was taken too slowly.");
    }
  } finally {
    clearTimeout(timer);
    ended.resolve();
    await transaction;
  }
}

async function* behindNothing(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(0);
  yield* chunks;
}
