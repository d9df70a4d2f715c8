import { join } from "node:path";
import { audit } from "../database/audit/audit.ts";
import { systemClock } from "../ground/clock.ts";
import { DiskBucket } from "../buckets/segments/disk.ts";
import type { Source } from "./backup/contents.ts";
import { type Generation, generationIds, readGeneration } from "./backup/generation.ts";
import {
  installationName,
  type Made,
  makeGeneration,
  requireMigrated,
  requireNewestFormat,
} from "./backup/make-generation.ts";
import { Pace } from "../ground/pace.ts";
import { openBackupPlace, refuseNested } from "./backup/place.ts";
import { claimPlace, envelopeOf } from "./backup/place-record.ts";
import { type Keeping, prune, type Pruned } from "./backup/prune.ts";
import { Staging, takeSnapshot } from "./backup/staging.ts";
import { copyRows } from "./backup/copy-rows.ts";
import { gatherWorkers } from "./backup/gather-workers.ts";
import { BackupDamaged } from "./backup/backup-damaged.ts";
import { type Database, DatabaseError } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { requireSegments } from "../storage/claim-segments.ts";
import { knownWorkers } from "../storage/claim-workers.ts";
import { openSqlite } from "../database/sqlite.ts";
import { existingMasterKey, readKeyFile } from "../settings/master-key.ts";
import { ConfigError } from "../settings/options.ts";
import { noteBackup } from "../storage/last-backup.ts";
import { inOrder, openServers, type OpenServers } from "../storage/open-database.ts";
import { type DriverSettings, openBucket, requireData } from "../storage/open-drivers.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Location of backups, and the settings to read them. */
export interface PlaceSettings {
  /** A directory, or `s3://bucket/prefix`. */
  place: string;
  backupKeyFile: string | undefined;
  /** Credentials of a bucket. */
  variables: Variables;
}

export interface BackupSettings extends DriverSettings, PlaceSettings {
  /** The service's directory: it has master key and artifacts. */
  data: string;
  artifacts: string | undefined;
  masterKeyFile: string | undefined;
  /** Whether the master key is in the backup, which then has to be encrypted. */
  withMasterKey: boolean;
  /** Maximal rate; Infinity for none. */
  bytesPerSecond: number;
  /** Directory for the temporary copy of the database; undefined: the data directory. */
  staging: string | undefined;
  /** Rule for earlier backups to keep; undefined: all are kept. */
  keeping: Keeping | undefined;
  /** Registers the clean-up for a signal that ends the process. */
  interruptible: (clean: () => void) => void;
}

export type BackUp = Made & { pruned: Pruned | undefined };

/**
 * Adds a backup of an installation to a place, the service running or not. Throws ConfigError,
 * DirectoryInUse, NewerFormat, DatabaseError, StoreError; earlier backups are whole whatever
 * happens.
 */
export async function backUp(settings: BackupSettings): Promise<BackUp> {
  requireData(settings);
  const { data, keeping } = settings;
  refuseNested(settings.place, data);
  const key = keyOf(settings);
  const masterKey = masterKeyFor(settings, key);
  const servers = await openServers(settings, "write");
  await using database = servers.database;
  // Rows of PostgreSQL are copied by name, a data directory's database as it is.
  const isCopied = settings.dataDirectory === undefined;
  await database.read(isCopied ? requireNewestFormat : requireMigrated);
  await inOrder(servers, settings, knownWorkers);
  const installation = await database.read(installationName);
  await using place = await openBackupPlace(settings.place, "write", settings.variables);
  const envelope = await claimPlace(place, key, installation);
  const pace = new Pace(settings.bytesPerSecond);
  const made = await makeGeneration(place, envelope, pace, (work) =>
    withSource(settings, { pace, masterKey, ...servers }, work),
  );
  made.problems.push(...(await noted(database, made)));
  const pruned = keeping === undefined ? undefined : await prune(place, envelope, keeping);
  return { ...made, pruned };
}

/**
 * Records the backup in the database. The backup exists even if that fails: a full disk must not
 * hide it.
 */
async function noted(database: Database, { generation, problems }: Made): Promise<string[]> {
  const operator = { actor: "operator", address: null, organizationId: null };
  const { id: subject, bytes, added } = generation;
  const details = { bytes, added: added.bytes, problems: problems.length };
  try {
    await database.write(async (transaction) => {
      const entry = { ...operator, action: "backup.made", subject, details };
      await audit(transaction, entry, { nowMs: systemClock() });
      const { takenAtMs } = generation;
      await noteBackup(transaction, {
        takenAtMs,
        bytes,
        addedBytes: added.bytes,
        problems: problems.length,
      });
    });
    return [];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [`that it was made, in the audit log and the figures: ${error.message}`];
  }
}

export interface Listed {
  generations: Generation[];
  /** Backups whose records cannot be read, a sentence each. */
  problems: string[];
}

/** Lists backups, oldest first. Throws ConfigError. */
export async function listBackups(settings: PlaceSettings): Promise<Listed> {
  await using place = await openBackupPlace(settings.place, "read", settings.variables);
  const envelope = await envelopeOf(place, keyOf(settings));
  const listed: Listed = { generations: [], problems: [] };
  for (const id of await generationIds(place.bucket)) {
    try {
      listed.generations.push(await readGeneration(place.bucket, envelope, id));
    } catch (error) {
      if (!(error instanceof BackupDamaged)) throw error;
      listed.problems.push(`${id}: ${error.message}`);
    }
  }
  return listed;
}

/** Removes backups that are not to be kept, and the pieces used by no other. */
export async function pruneBackups(settings: PlaceSettings, keeping: Keeping): Promise<Pruned> {
  await using place = await openBackupPlace(settings.place, "write", settings.variables);
  return await prune(place, await envelopeOf(place, keyOf(settings)), keeping);
}

/** The key of `--backup-key-file`. */
export function keyOf({ backupKeyFile }: PlaceSettings): Uint8Array | undefined {
  return backupKeyFile === undefined ? undefined : readKeyFile(backupKeyFile, "backup key file");
}

function masterKeyFor(
  { data, masterKeyFile, withMasterKey }: BackupSettings,
  key: Uint8Array | undefined,
): Uint8Array | undefined {
  if (!withMasterKey) return undefined;
  if (key === undefined) {
    throw new ConfigError(
      "The master key goes into an encrypted backup only: give --backup-key-file, or keep the master key elsewhere.",
    );
  }
  return existingMasterKey(data, masterKeyFile);
}

async function withSource<T>(
  settings: BackupSettings,
  { pace, masterKey, ...servers }: Sourcing,
  work: (source: Source, takenAtMs: number) => Promise<T>,
): Promise<T> {
  const { data, dataDirectory, artifacts } = settings;
  await using staging = await Staging.begin(settings.staging ?? data);
  settings.interruptible(() => staging.removeNow());
  const { directory } = staging;
  const { takenAtMs, segments } =
    dataDirectory === undefined
      ? await ofPostgres(settings, servers, directory)
      : await ofDirectory(dataDirectory, directory, pace);
  await using database = openSqlite({ directory, readOnly: true });
  const source: Source = {
    databaseDirectory: directory,
    database,
    segments,
    artifactsDirectory: artifacts ?? join(data, "artifacts"),
    masterKey,
  };
  try {
    return await work(source, takenAtMs);
  } finally {
    settings.interruptible(() => undefined);
  }
}

interface Sourcing extends Pick<OpenServers, "database" | "workers"> {
  pace: Pace;
  masterKey: Uint8Array | undefined;
}

interface StagedState {
  takenAtMs: number;
  segments: Source["segments"];
}

async function ofDirectory(
  dataDirectory: string,
  directory: string,
  pace: Pace,
): Promise<StagedState> {
  const { takenAtMs, segmentsDirectory } = await takeSnapshot(dataDirectory, directory, pace);
  return { takenAtMs, segments: new DiskBucket(segmentsDirectory) };
}

/**
 * Copies an installation on PostgreSQL. Its rows go to a database of SQLite, in one transaction, so
 * that both kinds are restored alike.
 */
async function ofPostgres(
  settings: BackupSettings,
  { database: installation, workers }: Pick<Sourcing, "database" | "workers">,
  directory: string,
): Promise<StagedState> {
  await requireSegments(settings, installation);
  const segments = await openBucket(settings, installation);
  await using staged = openSqlite({ directory });
  await migrate(staged);
  const takenAtMs = await installation.read(async (reader) => {
    const [{ nowMs }] = await reader.all<{ nowMs: number }>(`SELECT ${reader.nowMs} AS "nowMs"`);
    await staged.write((transaction) => copyRows(reader, transaction));
    return nowMs;
  });
  await gatherWorkers(staged, workers);
  return { takenAtMs, segments };
}
