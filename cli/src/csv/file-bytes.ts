import { createReadStream } from "node:fs";
import { constants, createGunzip, type ZlibOptions } from "node:zlib";
import { pipeline } from "node:stream";

const chunkBytes = 262_144;

/**
 * Yields the bytes of a file, unpacked when its name ends in .gz. For a truncated one, all that can
 * be unpacked comes before the error.
 */
export async function* fileBytes(path: string): AsyncGenerator<Buffer> {
  if (!path.endsWith(".gz")) {
    yield* createReadStream(path, { highWaterMark: chunkBytes });
    return;
  }
  let given = 0;
  try {
    for await (const chunk of unpacked(path, {})) {
      given += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!isBrokenOff(error)) throw error;
    // At an early end the stream discards what it held, so the file is read again up to there.
    let place = 0;
    for await (const chunk of unpacked(path, { finishFlush: constants.Z_SYNC_FLUSH })) {
      place += chunk.length;
      if (place > given) yield chunk.subarray(Math.max(0, given - (place - chunk.length)));
    }
    throw error;
  }
}

/**
 * Whether a packed file is truncated: everything before the end is right, as far as one can tell.
 */
export function isBrokenOff(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "Z_BUF_ERROR";
}

function unpacked(path: string, options: ZlibOptions): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  // An error of either stream reaches the loop that reads the last one.
  return pipeline(file, createGunzip({ chunkSize: chunkBytes, ...options }), () => undefined);
}
