import type { Database, Reader } from "../database/database.ts";
import { readStream } from "../database/read-stream.ts";
import { FairShares } from "../ground/fair-shares.ts";
import { Slots } from "../ground/slots.ts";
import { openTableCsv } from "../views/table/table-csv.ts";
import type { TableCsvRead } from "./storage.ts";

/** Files that are taken at once, half of them by one organization; others wait. */
const takenMax = 2;

/**
 * Tables as files, read as they are taken. Each has a connection until then, of which long reads
 * need some. The first chunk is empty: then the file is open.
 */
export function tableFiles(database: Database) {
  const slots = new Slots(new FairShares(takenMax));
  return (query: TableCsvRead, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> => {
    const connection = {
      read: <Result>(work: (reader: Reader) => Promise<Result>) =>
        slots.in(query.organizationId, () => database.read(work), signal),
    };
    const context = { nowMs: Date.now() };
    return readStream(connection, (reader) => openTableCsv(reader, query, context));
  };
}
