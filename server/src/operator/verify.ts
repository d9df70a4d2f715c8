import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { BuiltInBucket } from "../buckets/built-in/bucket.ts";
import { wrongAliases } from "../artifacts/rows/aliases/check.ts";
import { checkFormat } from "../database/migrate.ts";
import type { Database, Reader } from "../database/database.ts";
import { checkConsole } from "../console/check.ts";
import { ExperimentCheck } from "../points/experiment-check.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import { type Amounts, kinds } from "../database/quotas/amounts.ts";
import { wrongRecorded } from "../database/quotas/recorded-points.ts";
import { wrongCounters } from "../database/quotas/recount.ts";
import { requireSegments } from "../storage/claim-segments.ts";
import { readInstallation } from "../storage/installation.ts";
import { knownWorkers } from "../storage/claim-workers.ts";
import { inOrder, openServers } from "../storage/open-database.ts";
import { openBucket, requireData, type DriverSettings } from "../storage/open-drivers.ts";
import { checkSummaries } from "../experiments/summaries/check.ts";
import { wrongTrash } from "../trash/check.ts";
import { wrongOrganizations } from "../trash/check-organizations.ts";
import {
  builtInFiles,
  builtInVersions,
  checkFile,
  checkVersion,
  countVersionsElsewhere,
} from "../places/stores/built-in-check.ts";

export interface VerificationSettings extends DriverSettings {
  /** The files of the built-in location; by default in the data directory. */
  artifacts?: string;
}

export interface Verification {
  /** Committed versions at the built-in location; other stores check their objects themselves. */
  versions: number;
  files: number;
  fileBytes: number;
  /** Committed versions at other locations, which are not checked. */
  versionsElsewhere: number;
  experiments: number;
  points: number;
  consoleLines: number;
  logRecords: number;
  objects: number;
  objectBytes: number;
  /** One sentence for each problem, with its place; empty when there is none. */
  problems: string[];
  /** Slugs by id of the experiments that have problems; a problem begins with the id. */
  slugs: Record<string, string>;
}

/**
 * Checks every checksum and every count of an installation's data, that no point is stored twice,
 * that summaries equal those of their points, that no rows of purged entries are left, and every
 * byte of the files at the built-in location, whether or not the service runs: it only reads.
 * Entries being purged are skipped. `progress` is called after each experiment. Throws ConfigError,
 * NewerFormat and DatabaseError.
 */
export async function verify(
  settings: VerificationSettings,
  progress: (done: number, of: number) => void = () => undefined,
): Promise<Verification> {
  requireData(settings);
  const servers = await openServers(settings, "read");
  await using database = servers.database;
  await database.read(checkFormat);
  await inOrder(servers, settings, knownWorkers);
  await requireSegments(settings, database);
  const bucket = await openBucket(settings, database);
  const { hashSeed } = await database.read(readInstallation);
  const hasher = new IdentifierHasher(hashSeed);
  const problems: string[] = [];
  const report = (what: string, sentence: string) => problems.push(`${what}: ${sentence}`);
  for (const sentence of await database.read(databaseProblems)) report("database", sentence);
  const rows = await database.read((reader) =>
    reader.all<{ id: string; slug: string }>(
      `SELECT id, slug FROM experiment WHERE purged_at_ms IS NULL
         AND id NOT IN (SELECT subject FROM trash WHERE is_purging = 1) ORDER BY id`,
    ),
  );
  const total = {
    experiments: 0,
    points: 0,
    consoleLines: 0,
    logRecords: 0,
    objects: 0,
    objectBytes: 0,
  };
  const slugs: Record<string, string> = {};
  for (const { id, slug } of rows) {
    const problemsBefore = problems.length;
    const check = new ExperimentCheck(id, bucket, hasher, report);
    const { points, logRecords, objects, objectBytes } = await database.read((reader) =>
      check.run(reader),
    );
    const console = await database.read((reader) => checkConsole(reader, bucket, id, report));
    total.consoleLines += console.lines;
    if (problems.length === problemsBefore) {
      const wrong = await database.read((reader) => checkSummaries(reader, bucket, id));
      for (const sentence of wrong) report(id, sentence);
    }
    if (problems.length > problemsBefore) slugs[id] = slug;
    total.experiments++;
    total.points += points;
    total.logRecords += logRecords;
    total.objects += objects + console.objects;
    total.objectBytes += objectBytes + console.objectBytes;
    progress(total.experiments, rows.length);
  }
  for (const { id, sentence } of await database.read(wrongTrash)) report(id, sentence);
  for (const { id, sentence } of await database.read(wrongOrganizations)) report(id, sentence);
  for (const { id, sentence } of await database.read(wrongAliases)) report(id, sentence);
  const artifacts = await verifyArtifacts(settings, database, report);
  const versionsElsewhere = await database.read(countVersionsElsewhere);
  await verifyCounters(database, report);
  for (const [at, worker] of servers.workers.entries())
    await verifyCounters(
      worker,
      (what, sentence) => report(`worker ${at + 1}, ${what}`, sentence),
      {
        isWorker: true,
      },
    );
  return { ...total, ...artifacts, versionsElsewhere, problems, slugs };
}

/** Compares what a server counts with what it has. */
async function verifyCounters(
  database: Pick<Database, "read">,
  report: (what: string, sentence: string) => void,
  which: Parameters<typeof wrongCounters>[1] = {},
): Promise<void> {
  const wrong = await database.read((reader) => wrongCounters(reader, which));
  for (const { organization, counted, found } of wrong) {
    const shown = (amounts: Amounts) => kinds.map((kind) => `${amounts[kind]} ${kind}`).join(", ");
    report(`organization ${organization}`, `counts ${shown(counted)}; it has ${shown(found)}`);
  }
  const recorded = await database.read((reader) => wrongRecorded(reader, which));
  for (const { organization, counted, found } of recorded) {
    const sentence = `counts ${counted} points by day; its experiments have ${found}`;
    report(`organization ${organization}`, sentence);
  }
}

async function verifyArtifacts(
  settings: VerificationSettings,
  database: Database,
  report: (what: string, sentence: string) => void,
): Promise<Pick<Verification, "versions" | "files" | "fileBytes">> {
  const versions = await database.read(builtInVersions);
  const single = await database.read(builtInFiles);
  const total = { versions: versions.length, files: 0, fileBytes: 0 };
  if (versions.length + single.length === 0) return total;
  const { artifacts, dataDirectory, cacheDirectory } = settings;
  const directory = artifacts ?? join(dataDirectory ?? dirname(cacheDirectory), "artifacts");
  if (!existsSync(directory)) {
    report("artifacts", `there is no directory ${directory}; --artifacts names it`);
    return total;
  }
  const signingKey = new Uint8Array(32);
  const bucket = new BuiltInBucket({ directory, signingKey, baseUrl: () => "" });
  for (const one of versions) {
    const what = `${one.artifact} ${one.version}`;
    const tell = (sentence: string) => report(what, sentence);
    const { files, bytes } = await checkVersion(database, bucket, one, tell);
    total.files += files;
    total.fileBytes += bytes;
  }
  for (const file of single) {
    const what = `${file.owner} ${JSON.stringify(file.path)}`;
    for (const problem of await checkFile(bucket, file)) report(what, problem);
    total.files++;
    total.fileBytes += file.bytes;
  }
  return total;
}

/**
 * Returns SQLite's findings on its own pages and indexes; PostgreSQL has its own tools for that.
 */
async function databaseProblems(reader: Reader): Promise<string[]> {
  if (reader.dialect !== "sqlite") return [];
  const rows = await reader.all<{ integrity_check: string }>("PRAGMA integrity_check");
  return rows.map((row) => row.integrity_check).filter((sentence) => sentence !== "ok");
}
