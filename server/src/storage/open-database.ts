import type { Database } from "../database/database.ts";
import type { PostgresDatabase } from "../database/postgres.ts";
import { openSqliteReaders } from "../database/sqlite-readers.ts";
import { openSqlite, type SqliteOptions } from "../database/sqlite.ts";
import type { DriverSettings } from "./open-drivers.ts";

/** `cacheKiB` is that of the first connection of SQLite, which stays. */
interface ReadOptions extends Pick<SqliteOptions, "cacheKiB"> {
  connectionsMax?: number;
}

/**
 * SQLite in the data directory, or PostgreSQL. Each thread opens its own. There are so many
 * connections at most; those of SQLite are for reads, beside one that writes. The driver of
 * PostgreSQL is loaded where it is used: several threads start with the service. Rejects with a
 * DatabaseError when its server cannot be reached, or is set up wrong.
 */
export async function openDatabase(
  settings: Pick<DriverSettings, "databaseUrl" | "databasePasswordFile" | "dataDirectory">,
  access: "read" | "write",
  { connectionsMax = 4, ...firstOne }: ReadOptions = {},
): Promise<Database | PostgresDatabase> {
  const { databaseUrl, databasePasswordFile, dataDirectory } = settings;
  if (databaseUrl !== undefined) {
    const { openPostgres } = await import("../database/postgres.ts");
    await using opened = new AsyncDisposableStack();
    // Statements of a reader may take seconds. One organization leaves a connection to the others.
    const limits = {
      connectionsMax,
      ...(access === "read" && { holderMax: Math.max(1, connectionsMax - 2) }),
    };
    const database = opened.use(
      openPostgres({ url: databaseUrl, passwordFile: databasePasswordFile, ...limits }),
    );
    await database.open();
    opened.move();
    return database;
  }
  const directory = dataDirectory!;
  if (access === "write") return openSqlite({ directory });
  return openSqliteReaders(directory, connectionsMax, firstOne);
}
