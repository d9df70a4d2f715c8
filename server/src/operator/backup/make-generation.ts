import { createHash } from "node:crypto";
import manifest from "../../../package.json" with { type: "json" };
import type { Reader } from "../../database/database.ts";
import { checkFormat, newestFormat, readFormat, readFormats } from "../../database/migrate.ts";
import { ConfigError } from "../../settings/options.ts";
import { masterKeysInUse } from "../../storage/sealed-secrets.ts";
import { builtInVersions, countVersionsElsewhere } from "../../places/stores/built-in-check.ts";
import { BackupDamaged } from "./backup-damaged.ts";
import { type Source, type Stored, storeContents } from "./contents.ts";
import type { Envelope } from "./envelope.ts";
import {
  type BackupFile,
  filesOf,
  type Generation,
  generationIds,
  newGenerationId,
  publishGeneration,
  readGeneration,
  storeList,
} from "./generation.ts";
import type { Pace } from "../../ground/pace.ts";
import { Pieces } from "./pieces.ts";
import type { BackupPlace } from "./place.ts";

export interface Made {
  generation: Generation;
  /** Files that could not be read and are not in the backup, a sentence each. */
  problems: string[];
}

/** Attempts at a state whose files were removed before they were copied. */
const attempts = 3;

/**
 * Adds a generation to a place. It exists only once its record is stored, last of all; pieces of an
 * interrupted one are used by the next. Stored pieces are read again before the record.
 */
export async function makeGeneration(
  place: BackupPlace,
  envelope: Envelope,
  pace: Pace,
  withSource: <T>(work: (source: Source, takenAtMs: number) => Promise<T>) => Promise<T>,
): Promise<Made> {
  const pieces = new Pieces(place.bucket, envelope);
  await pieces.look();
  const { known, problems: before } = await knownFiles(place, envelope, pieces);
  for (let attempt = 1; ; attempt++) {
    const made = await withSource(async (source, takenAtMs) => {
      const stored = await storeContents(source, { pieces, pace, known });
      if (stored.problems.length > 0 && attempt < attempts) return undefined;
      return { stored, generation: await describe(source, stored, takenAtMs) };
    });
    if (made === undefined) continue;
    const { stored, generation } = made;
    generation.list = await storeList(pieces, stored.files);
    await pieces.checkAdded();
    await Array.fromAsync(filesOf(generation, pieces), () => undefined);
    generation.added = pieces.added;
    generation.finishedAtMs = Date.now();
    await publishGeneration(place.bucket, envelope, generation);
    await readGeneration(place.bucket, envelope, generation.id);
    return { generation, problems: [...before, ...stored.problems] };
  }
}

/** Names an installation without telling anything of it. */
export async function installationName(reader: Reader): Promise<string> {
  const row = await reader.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = 'hash_seed'",
  );
  return createHash("sha256")
    .update(`lossless backup of ${row?.value ?? ""}`)
    .digest("hex");
}

/**
 * Requires the newest format: tables are read by name, and in another format they have other
 * columns.
 */
export async function requireNewestFormat(reader: Reader): Promise<void> {
  await requireMigrated(reader);
  const format = await readFormat(reader);
  if (format === newestFormat) return;
  throw new ConfigError(
    `The data has format ${format}. This version knows format ${newestFormat}, and its copy would lack what is ` +
      "newer: use the version of Lossless that upgraded the data.",
  );
}

/** Requires that no migration is left to do; a newer version may have expanded the data. */
export async function requireMigrated(reader: Reader): Promise<void> {
  await checkFormat(reader);
  const format = await readFormat(reader);
  if (format >= newestFormat) return;
  throw new ConfigError(
    `The data has format ${format}, from before an upgrade: start the service of this version once, or use the ` +
      "version of Lossless that wrote it.",
  );
}

/**
 * Returns the files of the newest generation: the next one shares most of them. Damaged parts of
 * its list are reported and removed, and so stored again with the files read anew.
 */
async function knownFiles(
  { bucket }: BackupPlace,
  envelope: Envelope,
  pieces: Pieces,
): Promise<{ known: ReadonlyMap<string, BackupFile>; problems: string[] }> {
  const newest = (await generationIds(bucket)).at(-1);
  const known = new Map<string, BackupFile>();
  if (newest === undefined) return { known, problems: [] };
  try {
    const generation = await readGeneration(bucket, envelope, newest);
    for await (const file of filesOf(generation, pieces)) known.set(file.path, file);
    return { known, problems: [] };
  } catch (error) {
    if (!(error instanceof BackupDamaged)) throw error;
    if (error.piece !== undefined && pieces.has(error.piece)) await pieces.discard(error.piece);
    const problem = `The backup ${newest} is damaged, and cannot be restored: ${error.message}`;
    return { known, problems: [problem] };
  }
}

async function describe(
  { database, masterKey }: Source,
  { files }: Stored,
  takenAtMs: number,
): Promise<Generation> {
  const totals = await database.read(totalsOf);
  const { format: databaseFormat, leastFormat } = await database.read(readFormats);
  return {
    format: 1,
    id: newGenerationId(takenAtMs),
    takenAtMs,
    finishedAtMs: takenAtMs,
    version: manifest.version,
    databaseFormat,
    leastFormat,
    masterKeyIds: await database.read((reader) => masterKeysInUse(reader, {})),
    holdsMasterKey: masterKey !== undefined,
    ...totals,
    versions: (await database.read(builtInVersions)).length,
    versionsElsewhere: await database.read(countVersionsElsewhere),
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    added: { pieces: 0, bytes: 0 },
    list: [],
  };
}

async function totalsOf(reader: Reader): Promise<{ experiments: number; points: number }> {
  const [row] = await reader.all<{ experiments: number; points: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS experiments,
       CAST(coalesce(sum(points), 0) AS BIGINT) AS points FROM head`,
  );
  return row;
}
