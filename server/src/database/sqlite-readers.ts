import type { Database } from "./database.ts";
import { FiltersInTurns } from "./filters-in-turns.ts";
import { FairShares } from "../ground/fair-shares.ts";
import { Slots } from "../ground/slots.ts";
import { openSqlite, type SqliteOptions } from "./sqlite.ts";

/** SQLite's cache of every connection but the first; these exist only while several reads run. */
const extraCacheKiB = 4_096;

/**
 * Opens read-only connections to one file, made when they are first needed: a long read that lets
 * others run between two of its pages keeps its snapshot, and they have their own.
 */
export function openSqliteReaders(
  directory: string,
  connectionsMax: number,
  firstOne: Pick<SqliteOptions, "cacheKiB"> = {},
): Database {
  const same = { directory, readOnly: true, filters: new FiltersInTurns() };
  const all: Database[] = [openSqlite({ ...firstOne, ...same })];
  const idle = [...all];
  // Any holder may have all connections; those who wait for one take turns.
  const slots = new Slots(new FairShares(connectionsMax, connectionsMax));
  const connect = (): Database => {
    const database = openSqlite({ ...same, cacheKiB: extraCacheKiB });
    all.push(database);
    return database;
  };
  return {
    read: (work, bounds) =>
      slots.in(bounds?.holder ?? "", async () => {
        // The one that was used last has the warmest cache.
        const database = idle.pop() ?? connect();
        try {
          return await database.read(work, bounds);
        } finally {
          idle.push(database);
        }
      }),
    write: () => Promise.reject(new Error("BUG: write on a read-only database")),
    async [Symbol.asyncDispose]() {
      for (const database of all) await database[Symbol.asyncDispose]();
    },
  };
}
