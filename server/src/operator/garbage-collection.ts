import { findExpired } from "../artifacts/rows/removal.ts";
import { systemClock } from "../ground/clock.ts";
import { collectGarbage, type GarbageReport } from "../artifacts/sweeping/garbage.ts";
import { type LocationsSettings, withLocations } from "./with-locations.ts";

export type { GarbageReport };

export interface GarbageCollectionSettings extends LocationsSettings {
  dryRun: boolean;
}

const expiredMax = 100_000;

/**
 * Searches the database and every location for objects of no version, whether or not the service
 * runs, and removes leftovers of abandoned uploads. Throws ConfigError, NewerFormat and
 * DatabaseError.
 */
export function garbageCollection(settings: GarbageCollectionSettings): Promise<GarbageReport> {
  const clock = systemClock;
  return withLocations(settings, ({ database, storage, buckets }) =>
    collectGarbage({
      storage,
      buckets,
      clock,
      dryRun: settings.dryRun,
      countExpired: () =>
        database.read(async (reader) => {
          const found = await findExpired(reader, { limit: expiredMax }, { nowMs: clock() });
          return found.length;
        }),
    }),
  );
}
