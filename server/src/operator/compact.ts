import { checkFormat } from "../database/migrate.ts";
import { compactSqlite, type FileUse, NoRoomToCompact } from "../database/sqlite-compact.ts";
import { ConfigError } from "../settings/options.ts";
import { openDatabase } from "../storage/open-database.ts";
import { type DriverSettings, requireData } from "../storage/open-drivers.ts";

/**
 * Returns the space of deleted rows from SQLite's file to the disk, beside a stopped or a running
 * service. Throws ConfigError where there is no such file, or no room.
 */
export async function compact(
  settings: DriverSettings,
): Promise<{ before: FileUse; after: FileUse }> {
  const { dataDirectory, databaseUrl } = settings;
  if (databaseUrl !== undefined || dataDirectory === undefined) {
    throw new ConfigError(
      "PostgreSQL's autovacuum frees the space of deleted data; there is nothing to do.",
    );
  }
  requireData(settings);
  {
    await using database = await openDatabase(settings, "read");
    await database.read(checkFormat);
  }
  try {
    return await compactSqlite(dataDirectory);
  } catch (error) {
    throw error instanceof NoRoomToCompact ? new ConfigError(error.message) : error;
  }
}
