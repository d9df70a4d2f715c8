import { join } from "node:path";
import { adjustAfterRestore, type Ended } from "./backup/after-restore.ts";
import type { Envelope } from "./backup/envelope.ts";
import {
  type Generation,
  generationIds,
  readGeneration,
  takenAtMsOf,
} from "./backup/generation.ts";
import { Pace } from "../ground/pace.ts";
import { Pieces } from "./backup/pieces.ts";
import { openBackupPlace, type BackupPlace } from "./backup/place.ts";
import { envelopeOf } from "./backup/place-record.ts";
import { restoreFiles } from "./backup/restore-files.ts";
import { Staging } from "./backup/staging.ts";
import { systemClock } from "../ground/clock.ts";
import { lockDirectory } from "../database/lock.ts";
import { migrate, requireKnown } from "../database/migrate.ts";
import { openSqlite } from "../database/sqlite.ts";
import { ConfigError } from "../settings/options.ts";
import { keyOf, type PlaceSettings } from "./backup.ts";
import { empty, refuseTaken } from "./new-directory.ts";
import { verify, type Verification } from "./verify.ts";

/**
 * Choice of a backup of a place: by id, or the newest that was taken until a time; else the newest.
 */
export interface Choice {
  id?: string;
  untilMs?: number;
}

export interface RestoreSettings extends PlaceSettings {
  choice: Choice;
  /** The new data directory. */
  directory: string;
  /** Files of the built-in location; undefined: in the data directory. */
  artifacts: string | undefined;
  bytesPerSecond: number;
  /** Whether API keys are revoked, too. */
  revokeKeys: boolean;
  /** Registers the clean-up for a signal that ends the process. */
  interruptible: (clean: () => void) => void;
}

export interface Restored {
  generation: Generation;
  ended: Ended;
}

/**
 * Makes a data directory from a backup, in a place that has none. When it throws, the files made
 * are removed: ConfigError, BackupDamaged, NewerFormat, DirectoryInUse, DatabaseError.
 */
export async function restore(settings: RestoreSettings): Promise<Restored> {
  const { directory, revokeKeys } = settings;
  const artifacts = settings.artifacts ?? join(directory, "artifacts");
  await using place = await openBackupPlace(settings.place, "read", settings.variables);
  const envelope = await envelopeOf(place, keyOf(settings));
  const generation = await chosen(place, envelope, settings.choice);
  refuseTaken(directory);
  if (settings.artifacts !== undefined) refuseTaken(settings.artifacts);
  using _lock = lockDirectory(directory);
  const clean = () => [directory, artifacts].forEach(empty);
  settings.interruptible(clean);
  let ended: Ended | undefined;
  const adjust = async (unfinished: string) => {
    await using database = openSqlite({ directory: unfinished });
    await migrate(database);
    ended = await database.write((transaction) =>
      adjustAfterRestore(transaction, { generation: generation.id, revokeKeys }, systemClock()),
    );
  };
  try {
    const pieces = new Pieces(place.bucket, envelope);
    const pace = new Pace(settings.bytesPerSecond);
    await restoreFiles(generation, pieces, { directory, artifacts, pace }, adjust);
  } catch (error) {
    clean();
    throw error;
  } finally {
    settings.interruptible(() => undefined);
  }
  return { generation, ended: ended! };
}

/**
 * Reads a whole backup, as a restore does, to a directory in `staging` that is removed afterwards,
 * and checks that as `verify` checks a data directory.
 */
export async function verifyBackup(
  settings: PlaceSettings & Pick<RestoreSettings, "choice" | "interruptible"> & { staging: string },
  progress?: (done: number, of: number) => void,
): Promise<{ generation: Generation; verification: Verification }> {
  await using place = await openBackupPlace(settings.place, "read", settings.variables);
  const envelope = await envelopeOf(place, keyOf(settings));
  const generation = await chosen(place, envelope, settings.choice);
  await using staging = await Staging.begin(settings.staging);
  settings.interruptible(() => staging.removeNow());
  const { directory } = staging;
  const pieces = new Pieces(place.bucket, envelope);
  const artifacts = join(directory, "artifacts");
  const pace = new Pace(Infinity);
  await restoreFiles(generation, pieces, { directory, artifacts, pace }, async () => undefined);
  const located = { dataDirectory: directory, databaseUrl: undefined, cacheDirectory: directory };
  const verification = await verify(located, progress);
  settings.interruptible(() => undefined);
  return { generation, verification };
}

async function chosen(
  { address, bucket }: BackupPlace,
  envelope: Envelope,
  { id, untilMs }: Choice,
): Promise<Generation> {
  const ids = await generationIds(bucket);
  const found = ids.filter(
    (one) =>
      (id === undefined || one.startsWith(id)) &&
      (untilMs === undefined || takenAtMsOf(one) <= untilMs),
  );
  if (found.length === 0) {
    const which = id === undefined ? "backup of that time or before" : `backup ${id}`;
    const sentence = ids.length === 0 ? "no finished backup" : `no ${which}`;
    throw new ConfigError(
      `There is ${sentence} in ${address}; lossless backup list shows all backups.`,
    );
  }
  if (id !== undefined && found.length > 1) {
    throw new ConfigError(`Several backups in ${address} begin with ${id}: ${found.join(", ")}.`);
  }
  const generation = await readGeneration(bucket, envelope, found.at(-1)!);
  const { databaseFormat: format, leastFormat = format } = generation;
  requireKnown({ format, leastFormat });
  return generation;
}
