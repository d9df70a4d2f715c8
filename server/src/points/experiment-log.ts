import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import type { Appended, AppendedRecord, NewPartition } from "./appended-record.ts";
import type { ChunkCache } from "./chunk-cache.ts";
import { DroppedPartitions, readNumberedPartitions } from "./dropped-partitions.ts";
import { shortFingerprint } from "./fingerprint.ts";
import {
  addIdentifier,
  findIdentifier,
  fingerprintOf,
  fingerprintsOf,
} from "./identified-points.ts";
import { counterOf } from "./identifiers/counter.ts";
import { counterRunOf, type CounterRun } from "./identifiers/counter-run.ts";
import type { IdentifierHasher } from "./identifiers/hash.ts";
import { SealedIdentifiers } from "./identifiers/sealed.ts";
import { Generations, type RecentView } from "./identifiers/generations.ts";
import { decodeLogRecord, LogRecordBuilder } from "./log-record.ts";
import {
  counterFlag,
  pointColumns,
  PointResult,
  splitPartitionKey,
  type PointBatch,
  type PointColumns,
} from "./point-batch.ts";
import { logPointBytes, partitionBytes } from "../database/quotas/amounts.ts";
import type { Room } from "../database/quotas/refusal.ts";
import { freeMemory } from "../ground/free-memory.ts";
import { SealedPoints } from "./sealed-points.ts";

export interface HeadRow {
  experiment: string;
  log_seq: number;
  seal_seq: number;
  manifest_seq: number;
  points: number;
  sealed_points: number;
  /** 1 when the experiment is in the trash, and takes no points. */
  trashed: number;
}

/** Dependencies of an ExperimentLog; one for all experiments of a writer. */
export interface LogContext {
  bucket: SegmentBucket;
  hasher: IdentifierHasher;
  /** 0 = no limit (M56). */
  seriesPerExperiment: number;
  /** Number of points in a log from which it is due to be sealed. */
  sealPoints: number;
}

/** A long unsealed log must not be in memory twice. */
const recordsPerRead = 64;

/**
 * The writer's cache of one experiment: its partition numbers and every identifier ever stored.
 * Points appended in a group enter the recent identifiers at once; when its commit fails, the whole
 * object is discarded, so that no point counts as stored when it is not.
 */
export class ExperimentLog {
  readonly experimentId: string;
  readonly organizationId: string;
  readonly #context: LogContext;
  readonly #partitions = new Map<string, number>();
  readonly #generations = new Generations();
  readonly #chunks: ChunkCache;
  /**
   * Sealed data; undefined before the first sealing, as for the many runs that have a few points
   * each.
   */
  #sealed: { identifiers: SealedIdentifiers; points: SealedPoints } | undefined;
  readonly #dropped = new DroppedPartitions();
  #logSeq = 0;
  #manifestSeq = -1;
  #unsealedPoints = 0;
  /**
   * Unsealed points at the last announcement to the sealer; announced again after each further
   * half.
   */
  #announcedPoints = 0;
  #record: LogRecordBuilder | undefined;
  /** Partitions that got their first point in this group: `takeAppended` hands them out. */
  readonly #newPartitions: NewPartition[] = [];

  constructor(
    experiment: { id: string; organizationId: string },
    context: LogContext,
    chunks: ChunkCache,
  ) {
    this.experimentId = experiment.id;
    this.organizationId = experiment.organizationId;
    this.#context = context;
    this.#chunks = chunks;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    const sealed = this.#sealed ? this.#sealed.identifiers.bytes + this.#sealed.points.bytes : 0;
    return 1_536 + 100 * this.#partitions.size + this.#generations.bytes + sealed;
  }

  /** Whether one read restores the log: it is short, and none of it is sealed. */
  get isShort(): boolean {
    return this.#sealed === undefined && this.#logSeq <= recordsPerRead;
  }

  /**
   * Whether the cache can be extended to the head; false if log rows in between are gone (sealed,
   * trimmed): load anew.
   */
  canCatchUp(head: HeadRow): boolean {
    return this.#manifestSeq >= 0 && this.#logSeq >= head.seal_seq && this.#logSeq <= head.log_seq;
  }

  /**
   * Reads everything that other nodes, the sealer or an earlier process wrote; `head` is locked by
   * the caller.
   */
  async catchUp(reader: Reader, head: HeadRow): Promise<void> {
    this.#unsealedPoints = head.points - head.sealed_points;
    if (this.#manifestSeq !== head.manifest_seq) {
      if (head.manifest_seq > 0) await this.#readManifest(reader);
      await this.#dropped.refresh(reader, this.experimentId);
      this.#generations.forgetUpTo(head.seal_seq);
      this.#manifestSeq = head.manifest_seq;
      this.#announcedPoints = 0;
      this.#logSeq = Math.max(this.#logSeq, head.seal_seq);
    }
    if (this.#logSeq === head.log_seq && this.#partitions.size > 0) return;
    await this.#readPartitions(reader);
    await this.#readLog(reader, head);
  }

  /** Returns why there is no room for a batch, if all of its points were new. */
  refusalOf(batch: PointBatch, { bytes, partitions }: Room = unlimited): number | undefined {
    if (batch.partitions.some((key) => this.#dropped.isTrashed(key)))
      return PointResult.seriesDeleted;
    const added = batch.partitions.filter((key) => !this.#isLiving(this.#partitions.get(key)));
    const limit = this.#context.seriesPerExperiment;
    if (limit > 0 && added.length > 0 && this.#living + added.length > limit)
      return PointResult.limitExceeded;
    if (added.length > partitions.maximum - partitions.used) return PointResult.partitionsExceeded;
    const wanted = added.reduce((sum, key) => sum + partitionBytes(key), 0);
    const left = bytes.maximum - bytes.used;
    return wanted + logPointBytes * batch.count > left ? PointResult.bytesExceeded : undefined;
  }

  /** Points that the log does not have yet join the group's record, as far as there is `room`. */
  async append(batch: PointBatch, room: Room = unlimited): Promise<Appended> {
    const columns = pointColumns(batch.columns, batch.count);
    const results = new Uint8Array(batch.count);
    const numbers = this.#partitionNumbers(batch);
    const recent = this.#generations.open(batch.prefixes);
    let stored = 0;
    let bytes = 0;
    const bytesLeft = room.bytes.maximum - room.bytes.used - logPointBytes;
    const partitionsBefore = this.#newPartitions.length;
    const partitionsLeft = room.partitions.maximum - room.partitions.used + partitionsBefore;
    const run = counterRunOf(columns, batch.count);
    if (run !== undefined && this.#takesWhole(batch, run, recent, numbers, bytesLeft)) {
      recent.addRun(run, fingerprintsOf(columns, batch.count, numbers));
      this.#record ??= new LogRecordBuilder();
      this.#record.append(batch, Uint32Array.from(numbers), undefined);
      const { count } = batch;
      return { results, points: count, bytes: logPointBytes * count, partitions: 0 };
    }
    for (let index = 0; index < batch.count; index++) {
      const local = (columns.partition[index] & ~counterFlag) >>> 0;
      const known = findIdentifier(recent, columns, index);
      let fingerprint = fingerprintOf(columns, index, numbers[local]);
      if (known >= 0) {
        // A point of a partition without any stored point cannot be equal to a stored one.
        results[index] = repeated(known === fingerprint && numbers[local] >= 0);
        continue;
      }
      if (this.#sealed?.identifiers.isEmpty === false) {
        const sealed = this.#findSealed(batch, columns, index, numbers[local], fingerprint);
        const result = sealed instanceof Promise ? await sealed : sealed;
        if (result !== PointResult.stored) {
          results[index] = result;
          continue;
        }
      }
      const key = batch.partitions[local];
      if (this.#dropped.isTrashed(key)) {
        results[index] = PointResult.seriesDeleted;
        continue;
      }
      if (!this.#isLiving(numbers[local])) {
        const refused = this.#refusePartition(key, partitionsLeft, bytesLeft - bytes);
        if (refused !== undefined) {
          results[index] = refused;
          continue;
        }
        const number = this.#newPartition(key);
        bytes += partitionBytes(key);
        numbers[local] = number;
        fingerprint = fingerprintOf(columns, index, number);
      }
      if (bytes > bytesLeft) {
        results[index] = PointResult.bytesExceeded;
        continue;
      }
      addIdentifier(recent, columns, index, fingerprint);
      bytes += logPointBytes;
      stored++;
    }
    if (stored > 0) {
      this.#record ??= new LogRecordBuilder();
      const partitions = Uint32Array.from(numbers);
      this.#record.append(batch, partitions, stored === batch.count ? undefined : results);
    }
    const partitions = this.#newPartitions.length - partitionsBefore;
    return { results, points: stored, bytes, partitions };
  }

  /**
   * Whether each point of a batch with a run of counters is certainly new, of a living partition,
   * and has room: then none of them is looked up by itself.
   */
  #takesWhole(
    { count, partitions, prefixes }: PointBatch,
    run: CounterRun,
    recent: RecentView,
    numbers: Int32Array,
    bytesLeft: number,
  ): boolean {
    if (logPointBytes * (count - 1) > bytesLeft) return false;
    for (const [local, key] of partitions.entries())
      if (!this.#isLiving(numbers[local]) || this.#dropped.isTrashed(key)) return false;
    if (!recent.lacksRun(run, count)) return false;
    const identifiers = this.#sealed?.identifiers;
    if (identifiers === undefined || identifiers.isEmpty) return true;
    // Sealed counters are intervals, or hashes among others.
    const last = run.first + count - 1;
    return (
      identifiers.hashedCount === 0 && identifiers.lacksRange(prefixes[run.prefix], run.first, last)
    );
  }

  /**
   * Returns the group's addition to this experiment's log; undefined when there is none. To be
   * written before the commit.
   */
  takeAppended(): AppendedRecord | undefined {
    const record = this.#record;
    if (record === undefined) return undefined;
    this.#record = undefined;
    this.#logSeq++;
    this.#generations.close(this.#logSeq);
    this.#unsealedPoints += record.count;
    return {
      experimentId: this.experimentId,
      seq: this.#logSeq,
      points: record.count,
      record: record.finish(),
      newPartitions: this.#newPartitions.splice(0),
    };
  }

  /** Whether the sealer should be told now that this experiment's log is long. */
  takeSealDue(): boolean {
    const due =
      this.#unsealedPoints >= Math.max(this.#context.sealPoints, 1.5 * this.#announcedPoints);
    if (due) this.#announcedPoints = this.#unsealedPoints;
    return due;
  }

  dispose(): void {
    this.#sealed?.identifiers.dispose();
  }

  async #readManifest(reader: Reader): Promise<void> {
    const { bucket } = this.#context;
    this.#sealed ??= {
      identifiers: new SealedIdentifiers(bucket),
      points: new SealedPoints(bucket, this.#chunks),
    };
    await this.#sealed.identifiers.refresh(reader, this.experimentId);
    await this.#sealed.points.refresh(reader, this.experimentId);
  }

  async #readPartitions(reader: Reader): Promise<void> {
    const known = this.#partitions.size;
    const rows = await readNumberedPartitions(reader, this.experimentId, known);
    for (const row of rows) this.#partitions.set(`${row.name}\n${row.meta}`, row.partition);
  }

  async #readLog(reader: Reader, head: HeadRow): Promise<void> {
    while (this.#logSeq < head.log_seq) {
      const rows = await reader.all<{ seq: number; record: Uint8Array }>(
        "SELECT seq, record FROM log WHERE experiment = $1 AND seq > $2 ORDER BY seq LIMIT $3",
        this.experimentId,
        this.#logSeq,
        recordsPerRead,
      );
      if (rows.length === 0)
        throw new Error(
          `BUG: log of ${this.experimentId} ends at ${this.#logSeq}, head says ${head.log_seq}`,
        );
      for (const row of rows) {
        if (row.seq !== this.#logSeq + 1)
          throw new Error(
            `BUG: log of ${this.experimentId} jumps from ${this.#logSeq} to ${row.seq}`,
          );
        this.#remember(row.record);
        freeMemory(row.record);
        this.#logSeq = row.seq;
        this.#generations.close(row.seq);
      }
    }
  }

  #remember(bytes: Uint8Array): void {
    const { count, columns, prefixes } = decodeLogRecord(bytes);
    const recent = this.#generations.open(prefixes);
    const run = counterRunOf(columns, count);
    if (run !== undefined && recent.lacksRun(run, count))
      return recent.addRun(run, fingerprintsOf(columns, count));
    for (let index = 0; index < count; index++) {
      const tagged = columns.partition[index];
      const isCounter = tagged >= counterFlag;
      const partition = isCounter ? tagged - counterFlag : tagged;
      addIdentifier(recent, columns, index, fingerprintOf(columns, index, partition));
    }
  }

  /** Numbers for the batch's partition keys; -1 for those that have no point yet. */
  #partitionNumbers(batch: PointBatch): Int32Array {
    const numbers = new Int32Array(batch.partitions.length);
    for (const [local, key] of batch.partitions.entries())
      numbers[local] = this.#partitions.get(key) ?? -1;
    return numbers;
  }

  /** Number of partitions that count for the limit: purged ones do not. */
  get #living(): number {
    return this.#partitions.size - this.#dropped.freeCount;
  }

  #isLiving(number = -1): boolean {
    return number >= 0 && !this.#dropped.isFree(number);
  }

  /** Why a partition cannot get its first point. */
  #refusePartition(key: string, partitionsLeft: number, bytesLeft: number): number | undefined {
    const limit = this.#context.seriesPerExperiment;
    if (limit > 0 && this.#living >= limit) return PointResult.limitExceeded;
    if (this.#newPartitions.length >= partitionsLeft) return PointResult.partitionsExceeded;
    return partitionBytes(key) > bytesLeft ? PointResult.bytesExceeded : undefined;
  }

  /** The number of a partition that is about to get its first point. */
  #newPartition(key: string): number {
    const before = this.#partitions.get(key);
    const number = before ?? this.#partitions.size;
    this.#partitions.set(key, number);
    this.#dropped.revive(number);
    const isRevived = before !== undefined;
    this.#newPartitions.push({ number, ...splitPartitionKey(key), isRevived });
    return number;
  }

  /** `stored` here means not among sealed ones. It is a promise only where a chunk must be read. */
  #findSealed(
    batch: PointBatch,
    columns: PointColumns,
    index: number,
    partition: number,
    fingerprint: number,
  ): number | Promise<number> {
    const at = 4 * index;
    const { identifier } = columns;
    const sealed = this.#sealed!;
    if (columns.partition[index] < counterFlag)
      return this.#compareSealedHash(identifier, at, partition, fingerprint);
    const prefix = batch.prefixes[identifier[at]];
    const counter = counterOf(identifier[at + 2], identifier[at + 3]);
    if (sealed.identifiers.hasCounter(prefix, counter)) {
      const holds = sealed.points.holds(
        {
          partition,
          step: columns.step[index],
          timestamp: columns.timestamp[index],
          value: columns.value[index],
        },
        prefix,
        counter,
      );
      // The payload of purged points is unknown.
      const isPurged = this.#dropped.hasPurged(partition);
      return typeof holds === "boolean"
        ? repeated(holds || isPurged)
        : holds.then((isHeld) => repeated(isHeld || isPurged));
    }
    // Counters that lay too thinly for intervals were sealed as hashes of the whole identifier.
    if (sealed.identifiers.hashedCount === 0) return PointResult.stored;
    const hash = new Uint32Array(4);
    this.#context.hasher.hash(`${prefix}-${counter}`, hash, 0);
    return this.#compareSealedHash(hash, 0, partition, fingerprint);
  }

  #compareSealedHash(
    hash: Uint32Array,
    at: number,
    partition: number,
    fingerprint: number,
  ): number {
    const found = this.#sealed!.identifiers.findHash(hash[at], hash[at + 1], hash[at + 2]);
    if (found < 0) return PointResult.stored;
    // Runs keep 24 of the fingerprint's 32 bits.
    return repeated(partition >= 0 && found === shortFingerprint(fingerprint));
  }
}

const border = { maximum: Infinity, used: 0 };
const unlimited: Room = { bytes: border, partitions: border };

/** Returns the result for a point whose identifier is known, with the same payload or another. */
function repeated(isEqual: boolean): number {
  return isEqual ? PointResult.duplicate : PointResult.conflict;
}
