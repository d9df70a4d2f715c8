import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import { DoubledIdentifiers } from "./doubled-identifiers.ts";
import type { IdentifierHasher } from "./identifiers/hash.ts";
import { IdentifierRun } from "./identifiers/run.ts";
import { decodeLogRecord, type LogRecord } from "./log-record.ts";
import { counterFlag } from "./point-batch.ts";
import { readSegmentIndex, verifySegment } from "./segment.ts";

export interface CheckedExperiment {
  points: number;
  logRecords: number;
  objects: number;
  objectBytes: number;
}

interface Head {
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

/** Checks every checksum and count of one experiment, and that no identifier is stored twice. */
export class ExperimentCheck {
  readonly #bucket: SegmentBucket;
  readonly #experimentId: string;
  readonly #report: (what: string, sentence: string) => void;
  readonly #doubled: DoubledIdentifiers;
  readonly #runs: IdentifierRun[] = [];
  /** Partitions that were purged and have got no point since. */
  readonly #gone = new Set<number>();
  readonly #result: CheckedExperiment = {
    points: 0,
    logRecords: 0,
    objects: 0,
    objectBytes: 0,
  };

  constructor(
    experimentId: string,
    bucket: SegmentBucket,
    hasher: IdentifierHasher,
    report: (what: string, sentence: string) => void,
  ) {
    this.#experimentId = experimentId;
    this.#bucket = bucket;
    this.#report = report;
    this.#doubled = new DoubledIdentifiers(hasher);
  }

  /** Within one snapshot of the database, so that a running service may go on meanwhile. */
  async run(reader: Reader): Promise<CheckedExperiment> {
    try {
      await this.#check(await reader.at(this.#experimentId));
    } catch (error) {
      this.#report(this.#experimentId, (error as Error).message);
    } finally {
      for (const run of this.#runs) run.close();
    }
    return this.#result;
  }

  async #check(reader: Reader): Promise<void> {
    const head = await reader.get<Head>(
      "SELECT log_seq, seal_seq, points, sealed_points FROM head WHERE experiment = $1",
      this.#experimentId,
    );
    if (head === undefined) throw new Error("has no head row");
    this.#result.points = head.points;
    const series = await reader.get<{ count: number }>(
      "SELECT COUNT(*) AS count FROM series WHERE experiment = $1",
      this.#experimentId,
    );
    const rows = await reader.all<{
      partition: number;
      points: number;
      trash: string | null;
      is_out: number;
    }>(
      "SELECT partition, points, trash, is_out FROM dropped_series WHERE experiment = $1",
      this.#experimentId,
    );
    const out = rows.filter(({ is_out: isOut }) => isOut === 1);
    const partitions = series!.count + out.length;
    const dropped = rows.reduce((sum, { points }) => sum + points, 0);
    for (const { partition, trash } of out) if (trash === null) this.#gone.add(partition);
    const segments = await reader.all<Segment>(
      `SELECT kind, key, seq_from, seq_to, points, bytes FROM segment
       WHERE experiment = $1 ORDER BY seq_from`,
      this.#experimentId,
    );
    for (const kind of ["points", "identifiers"] as const) {
      const ofKind = segments.filter((segment) => segment.kind === kind);
      this.#checkManifest(head, kind, ofKind, dropped);
      for (const segment of ofKind) await this.#checkObject(segment, partitions);
    }
    const logPoints = await this.#checkLog(reader, head, partitions);
    if (logPoints + head.sealed_points !== head.points) {
      this.#report(
        this.#experimentId,
        `counts ${head.points} points, ${head.sealed_points} are sealed and ${logPoints} in the log`,
      );
    }
  }

  /** Points of deleted series are gone, with whole segments even; their identifiers stay. */
  #checkManifest(head: Head, kind: Segment["kind"], segments: Segment[], dropped: number): void {
    const what = `${this.#experimentId} ${kind}`;
    const mayHaveGaps = kind === "points" && dropped > 0;
    let sealedTo = 0;
    let points = 0;
    for (const { seq_from: from, seq_to: to, points: count } of segments) {
      if (mayHaveGaps ? from <= sealedTo : from !== sealedTo + 1)
        this.#report(what, `segments go from ${sealedTo} to ${from}`);
      sealedTo = to;
      points += count;
    }
    if (mayHaveGaps ? sealedTo > head.seal_seq : sealedTo !== head.seal_seq) {
      this.#report(what, `segments end at ${sealedTo}, the head says ${head.seal_seq}`);
    }
    const expected = head.sealed_points + (kind === "points" ? 0 : dropped);
    if (points !== expected) {
      this.#report(what, `segments have ${points} points, the head says ${expected}`);
    }
  }

  async #checkObject(segment: Segment, partitions: number): Promise<void> {
    const { kind, key, bytes } = segment;
    this.#result.objects++;
    this.#result.objectBytes += bytes;
    try {
      const size = await this.#bucket.size(key);
      if (size !== bytes) this.#report(key, `has ${size} bytes, the manifest says ${bytes}`);
      const points =
        kind === "points"
          ? await this.#checkPoints(key, partitions)
          : await this.#checkIdentifiers(key);
      if (points !== segment.points) {
        this.#report(key, `has ${points} ${kind}, the manifest says ${segment.points}`);
      }
    } catch (error) {
      this.#report(key, (error as Error).message);
    }
  }

  async #checkPoints(key: string, partitions: number): Promise<number> {
    const points = await verifySegment(this.#bucket, key);
    const index = await readSegmentIndex(this.#bucket, key);
    const strange = index.partition.find((partition) => partition >= partitions);
    if (strange !== undefined) this.#reportPartition(key, strange);
    const gone = index.partition.find((partition) => this.#gone.has(partition));
    if (gone !== undefined) this.#report(key, `has points of partition ${gone}, which was purged`);
    return points;
  }

  async #checkIdentifiers(key: string): Promise<number> {
    const run = IdentifierRun.open(await this.#bucket.localFile(key));
    this.#runs.push(run);
    run.verify();
    const doubled = this.#doubled.inRun(run);
    if (doubled > 0) this.#report(key, `has ${doubled} identifiers that are stored twice`);
    let count = run.hashedCount;
    for (const intervals of run.intervals.values()) count += intervals.count;
    return count;
  }

  /** Returns how many points the unsealed log rows hold. */
  async #checkLog(reader: Reader, head: Head, partitions: number): Promise<number> {
    let points = 0;
    for (let seq = head.seal_seq + 1; seq <= head.log_seq; seq++) {
      const what = `${this.#experimentId} log record ${seq}`;
      const row = await reader.get<{ points: number; record: Uint8Array }>(
        "SELECT points, record FROM log WHERE experiment = $1 AND seq = $2",
        this.#experimentId,
        seq,
      );
      if (row === undefined) {
        this.#report(what, "is missing");
        continue;
      }
      this.#result.logRecords++;
      try {
        const record = decodeLogRecord(row.record);
        points += record.count;
        this.#checkRecord(what, record, row.points, partitions);
      } catch (error) {
        this.#report(what, (error as Error).message);
      }
    }
    return points;
  }

  #checkRecord(what: string, record: LogRecord, points: number, partitions: number): void {
    if (record.count !== points) {
      this.#report(what, `has ${record.count} points, its row says ${points}`);
    }
    const numbers = record.columns.partition.map((tagged) => (tagged & ~counterFlag) >>> 0);
    const strange = numbers.find((partition) => partition >= partitions);
    if (strange !== undefined) this.#reportPartition(what, strange);
    const doubled = this.#doubled.inRecord(record);
    if (doubled > 0) this.#report(what, `has ${doubled} identifiers that are stored twice`);
  }

  #reportPartition(what: string, partition: number): void {
    this.#report(what, `names partition ${partition}, which has no series row`);
  }
}
