import { createReadStream } from "node:fs";
import { constants, createGunzip, type ZlibOptions } from "node:zlib";
import { pipeline } from "node:stream";

const chunkBytes = 262_144;

/**
 * The bytes of a file, unpacked when its name ends in .gz. Of one that breaks off all that can be
 * unpacked comes before the error.
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
    // The stream has thrown away what it held when it met the end.
    let place = 0;
    for await (const chunk of unpacked(path, { finishFlush: constants.Z_SYNC_FLUSH })) {
      place += chunk.length;
      if (place > given) yield chunk.subarray(Math.max(0, given - (place - chunk.length)));
    }
    throw error;
  }
}

/** Whether a packed file ends too early: what came before is right, as far as one can tell. */
export function isBrokenOff(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "Z_BUF_ERROR";
}

function unpacked(path: string, options: ZlibOptions): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  // The error of either stream reaches the loop that reads the last one.
  return pipeline(file, createGunzip({ chunkSize: chunkBytes, ...options }), () => undefined);
}
