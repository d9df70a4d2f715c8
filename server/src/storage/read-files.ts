import type { Database, Reader } from "../database/database.ts";
import { type ReadChunks, readStream } from "../database/read-stream.ts";
import { FairShares } from "../ground/fair-shares.ts";
import { Slots } from "../ground/slots.ts";

/**
 * Files that are read at once, half of them by one organization; others wait. Each has a connection
 * until then, of which long reads need some.
 */
const readMax = 2;
/**
 * Maximal bytes read ahead and not yet consumed, compressed, half of it for one organization: a
 * hundred thousand rows with 20 numbers are some 20 MB.
 */
const aheadBytesMax = 64 * 1024 * 1024;

/**
 * Reads files of tables, each of one moment, ahead of their consumers. The first chunk is empty: it
 * tells that the file is open.
 */
export function fileReader(
  databaseOf: (organizationId: string, signal?: AbortSignal) => Pick<Database, "read">,
) {
  const slots = new Slots(new FairShares(readMax));
  const memory = new FairShares(aheadBytesMax);
  return (
    organizationId: string,
    open: (reader: Reader) => Promise<ReadChunks>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> => {
    const connection = {
      read: <Result>(work: (reader: Reader) => Promise<Result>) =>
        slots.in(organizationId, () => databaseOf(organizationId, signal).read(work), signal),
    };
    return readStream(connection, open, memory.take(organizationId, 0)!);
  };
}
