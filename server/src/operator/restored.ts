import { adjustAfterRestore, type Ended } from "./backup/after-restore.ts";
import { lockDirectory } from "../database/lock.ts";
import { checkFormat, migrate } from "../database/migrate.ts";
import { systemClock } from "../ground/clock.ts";
import { openDatabase } from "../storage/open-database.ts";
import { type DriverSettings, requireData } from "../storage/open-drivers.ts";
import { refuseRunning } from "./copy.ts";

/**
 * Adjusts data that other tools have put back to an earlier state, as `restore` does its own. No
 * service may run on them. Throws ConfigError, DirectoryInUse, NewerFormat, DatabaseError.
 */
export async function goOnRestored(settings: DriverSettings, revokeKeys: boolean): Promise<Ended> {
  requireData(settings);
  const { dataDirectory } = settings;
  using _lock = dataDirectory === undefined ? undefined : lockDirectory(dataDirectory);
  await using database = await openDatabase(settings, "write");
  await database.read(checkFormat);
  await database.read(refuseRunning);
  await migrate(database);
  return await database.write((transaction) =>
    adjustAfterRestore(transaction, { revokeKeys }, systemClock()),
  );
}
