import { IdentifierRun } from "./points/identifiers/run.ts";
import { decodeLogRecord } from "./points/log-record.ts";
import { readSegmentIndex, verifySegment } from "./points/segment.ts";
import type { Bucket } from "./buckets/bucket.ts";
import { checkFormat } from "./database/migrate.ts";
import type { Database, Reader } from "./database/database.ts";
import {
  openBucket,
  openDatabase,
  requireData,
  type DriverSettings,
} from "./storage/open-drivers.ts";

export interface Verification {
  experiments: number;
  points: number;
  logRecords: number;
  objects: number;
  objectBytes: number;
  /** One sentence each, naming the place; empty when everything is as it was written. */
  problems: string[];
}

/**
 * Checks every checksum and every count of an installation's data, of a stopped or a running service: it
 * only reads. `progress` is told after each experiment. Throws ConfigError, NewerFormat and DatabaseError.
 */
export async function verify(
  settings: DriverSettings,
  progress: (done: number, of: number) => void = () => undefined,
): Promise<Verification> {
  requireData(settings);
  await using database = openDatabase(settings, "read");
  await database.read(checkFormat);
  const verifier = new Verifier(database, openBucket(settings));
  return await verifier.run(progress);
}

interface Head {
  experiment: string;
  log_seq: number;
  seal_seq: number;
  points: number;
  sealed_points: number;
}

interface Segment {
  kind: "points" | "identifiers";
  key: string;
  seq_from: number;
  seq_to: number;
  points: number;
  bytes: number;
}

class Verifier {
  private readonly database: Database;
  private readonly bucket: Bucket;
  private readonly result: Verification = {
    experiments: 0,
    points: 0,
    logRecords: 0,
    objects: 0,
    objectBytes: 0,
    problems: [],
  };

  constructor(database: Database, bucket: Bucket) {
    this.database = database;
    this.bucket = bucket;
  }

  async run(progress: (done: number, of: number) => void): Promise<Verification> {
    await this.checkDatabase();
    const experiments = await this.database.read((reader) =>
      reader.all<{ id: string }>("SELECT id FROM experiment ORDER BY id"),
    );
    for (const [index, { id }] of experiments.entries()) {
      try {
        await this.checkExperiment(id);
      } catch (error) {
        this.report(id, (error as Error).message);
      }
      this.result.experiments++;
      progress(index + 1, experiments.length);
    }
    return this.result;
  }

  private report(place: string, sentence: string): void {
    this.result.problems.push(`${place}: ${sentence}`);
  }

  private async checkDatabase(): Promise<void> {
    await this.database.read(async (reader) => {
      if (reader.dialect !== "sqlite") return;
      const rows = await reader.all<{ integrity_check: string }>("PRAGMA integrity_check");
      for (const { integrity_check: sentence } of rows) {
        if (sentence !== "ok") this.report("database", sentence);
      }
    });
  }

  /** Head, manifest, log and catalog are read in one snapshot, so that a running service may go on meanwhile. */
  private async checkExperiment(id: string): Promise<void> {
    const { head, segments, partitions } = await this.database.read(async (reader) => {
      const row = await reader.get<Head>(
        "SELECT experiment, log_seq, seal_seq, points, sealed_points FROM head WHERE experiment = $1",
        id,
      );
      if (row === undefined) throw new Error("has no head row");
      const logPoints = await this.checkLog(reader, row);
      if (logPoints + row.sealed_points !== row.points) {
        this.report(
          id,
          `counts ${row.points} points, ${row.sealed_points} are sealed and ${logPoints} in the log`,
        );
      }
      const manifest = await reader.all<Segment>(
        "SELECT kind, key, seq_from, seq_to, points, bytes FROM segment WHERE experiment = $1 ORDER BY seq_from",
        id,
      );
      const series = await reader.get<{ count: number }>(
        "SELECT COUNT(*) AS count FROM series WHERE experiment = $1",
        id,
      );
      return { head: row, segments: manifest, partitions: series!.count };
    });
    this.result.points += head.points;
    for (const kind of ["points", "identifiers"] as const) {
      const ofKind = segments.filter((segment) => segment.kind === kind);
      this.checkManifest(head, kind, ofKind);
      for (const segment of ofKind) {
        this.result.objects++;
        this.result.objectBytes += segment.bytes;
        try {
          if (kind === "points") await this.checkPoints(segment, partitions);
          else await this.checkIdentifiers(segment);
        } catch (error) {
          this.report(segment.key, (error as Error).message);
        }
      }
    }
  }

  /** Returns how many points the unsealed log rows hold. */
  private async checkLog(reader: Reader, head: Head): Promise<number> {
    let points = 0;
    for (let seq = head.seal_seq + 1; seq <= head.log_seq; seq++) {
      const row = await reader.get<{ points: number; record: Uint8Array }>(
        "SELECT points, record FROM log WHERE experiment = $1 AND seq = $2",
        head.experiment,
        seq,
      );
      if (row === undefined) {
        this.report(head.experiment, `log record ${seq} is missing`);
        continue;
      }
      try {
        const { count } = decodeLogRecord(row.record);
        if (count !== row.points)
          this.report(
            head.experiment,
            `log record ${seq} has ${count} points, its row says ${row.points}`,
          );
        points += count;
      } catch (error) {
        this.report(head.experiment, `log record ${seq}: ${(error as Error).message}`);
      }
      this.result.logRecords++;
    }
    return points;
  }

  private checkManifest(head: Head, kind: Segment["kind"], segments: Segment[]): void {
    let sealedTo = 0;
    let points = 0;
    for (const { seq_from: from, seq_to: to, points: count } of segments) {
      if (from !== sealedTo + 1)
        this.report(head.experiment, `${kind} segments go from ${sealedTo} to ${from}`);
      sealedTo = to;
      points += count;
    }
    if (sealedTo !== head.seal_seq) {
      this.report(
        head.experiment,
        `${kind} segments end at ${sealedTo}, the head says ${head.seal_seq}`,
      );
    }
    if (points !== head.sealed_points) {
      this.report(
        head.experiment,
        `${kind} segments hold ${points} points, the head says ${head.sealed_points}`,
      );
    }
  }

  private async checkPoints({ key, points, bytes }: Segment, partitions: number): Promise<void> {
    const size = await this.bucket.size(key);
    if (size !== bytes) this.report(key, `has ${size} bytes, the manifest says ${bytes}`);
    await verifySegment(this.bucket, key);
    const index = await readSegmentIndex(this.bucket, key);
    const strange = index.partition.find((partition) => partition >= partitions);
    if (strange !== undefined)
      this.report(key, `names partition ${strange}, which has no series row`);
    const count = index.points;
    if (count !== points) this.report(key, `holds ${count} points, the manifest says ${points}`);
  }

  private async checkIdentifiers({ key, points, bytes }: Segment): Promise<void> {
    const size = await this.bucket.size(key);
    if (size !== bytes) this.report(key, `has ${size} bytes, the manifest says ${bytes}`);
    const run = IdentifierRun.open(await this.bucket.localFile(key));
    try {
      run.verify();
      let count = run.hashedCount;
      for (const intervals of run.intervals.values()) count += intervals.count;
      if (count !== points)
        this.report(key, `holds ${count} identifiers, the manifest says ${points}`);
    } finally {
      run.close();
    }
  }
}
