import { errors } from "@lossless/protocol/errors";
import { DatabaseError, type Transaction } from "../database/database.ts";
import { insertRows, updateRows } from "../database/rows.ts";
import { ServiceError } from "../ground/errors.ts";
import { DamagedExperiment } from "./damaged-experiment.ts";
import type { AppendedRecord } from "./appended-record.ts";
import type { ExperimentLog } from "./experiment-log.ts";
import { revivePartitions } from "./drop-points.ts";
import type { Ledger } from "../database/quotas/ledger.ts";
import type { Room } from "../database/quotas/refusal.ts";
import { freeMemory } from "../ground/free-memory.ts";
import { type PointBatch, PointResult } from "./point-batch.ts";

/** An experiment that the group appends to. */
export interface GroupLog {
  log: ExperimentLog;
  /** Whether its organization has a quota. */
  isLimited: boolean;
}

/** Outcome of a batch, one PointResult per point; where there is a quota, its usage after them. */
export interface AppendedBatch {
  results: Uint8Array;
  room?: Room;
}

/** The appends of one group, between `begin` and its commit. */
export class GroupAppends {
  /** Experiments whose logs in memory are ahead of the database until the commit. */
  readonly appendedTo = new Set<string>();
  readonly #transaction: Transaction;
  readonly #logs: ReadonlyMap<string, GroupLog>;
  readonly #deleted: ReadonlySet<string>;
  readonly #unsealed: Set<string>;
  readonly #ledger: Ledger;

  constructor(
    transaction: Transaction,
    { group, deleted }: { group: ReadonlyMap<string, GroupLog>; deleted: ReadonlySet<string> },
    unsealed: Set<string>,
    ledger: Ledger,
  ) {
    this.#transaction = transaction;
    this.#logs = group;
    this.#deleted = deleted;
    this.#unsealed = unsealed;
    this.#ledger = ledger;
  }

  /**
   * Throws ServiceError `experiment_deleted` for one that is in the trash or gone,
   * `data_corrupted` for an experiment that is left out, and
   * DamagedExperiment when it turns out now that it has to be: then the group must be rolled back.
   */
  async append(experimentId: string, points: PointBatch): Promise<AppendedBatch> {
    const { log, room } = await this.#logOf(experimentId);
    this.appendedTo.add(experimentId);
    try {
      const { results, bytes, partitions, ...stored } = await log.append(points, room);
      this.#ledger.notePoints(log.organizationId, { bytes, partitions, ...stored });
      return room === undefined
        ? { results }
        : { results, room: leftAfter(room, bytes, partitions) };
    } catch (error) {
      throw error instanceof DatabaseError ? error : new DamagedExperiment(experimentId, error);
    }
  }

  /**
   * Appends a batch if there is room for all of its points; else throws ServiceError
   * `limit_exceeded` or `series_deleted`, and appends none.
   */
  async appendWhole(experimentId: string, points: PointBatch): Promise<Uint8Array> {
    const { log, room } = await this.#logOf(experimentId);
    const refused = log.refusalOf(points, room);
    if (refused === PointResult.seriesDeleted)
      throw new ServiceError("series_deleted", errors.series_deleted.sentence);
    if (refused !== undefined) throw new ServiceError("limit_exceeded", noRoom[refused]);
    return (await this.append(experimentId, points)).results;
  }

  async #logOf(experimentId: string): Promise<{ log: ExperimentLog; room: Room | undefined }> {
    const found = this.#logs.get(experimentId);
    if (found === undefined && this.#deleted.has(experimentId)) {
      throw new ServiceError(
        "experiment_deleted",
        "The experiment was deleted while the request was under way; nothing of it was stored.",
        { experimentId },
      );
    }
    if (found === undefined) {
      throw new ServiceError(
        "data_corrupted",
        "The experiment's stored data cannot be read, so nothing was added to it. The operator's log names the damage.",
      );
    }
    const { log, isLimited } = found;
    return { log, room: isLimited ? await this.#ledger.room(log.organizationId) : undefined };
  }

  /**
   * Writes the group's records on top of the heads it has locked: compare-and-append. A head that
   * differs from the locked one would mean that it was moved under our lock.
   */
  async finish(nowMs: number): Promise<void> {
    const appended: AppendedRecord[] = [];
    for (const { log } of this.#logs.values()) {
      const record = log.takeAppended();
      if (record !== undefined) appended.push(record);
      if (log.takeSealDue()) this.#unsealed.add(log.experimentId);
    }
    await this.#revive(appended);
    await insertRows(
      this.#transaction,
      "series",
      ["experiment", "partition", "name", "meta"],
      appended.flatMap(({ experimentId, newPartitions }) =>
        newPartitions.map(({ number, name, meta }) => [experimentId, number, name, meta]),
      ),
    );
    const moved = await updateRows(
      this.#transaction,
      (values) =>
        `UPDATE head SET log_seq = changed.column2, points = points + changed.column3,
           appended_at_ms = changed.column4, revision = revision + 1
         FROM ${values} AS changed
         WHERE head.experiment = changed.column1 AND head.log_seq = changed.column2 - 1`,
      appended.map(({ experimentId, seq, points }) => [experimentId, seq, points, nowMs]),
    );
    if (moved !== appended.length) {
      throw new Error(
        `BUG: ${appended.length} heads were locked, ${moved} stood where they should`,
      );
    }
    await insertRows(
      this.#transaction,
      "log",
      ["experiment", "seq", "points", "record"],
      appended.map(({ experimentId, seq, points, record }) => [experimentId, seq, points, record]),
    );
    freeMemory(...appended.map(({ record }) => record));
  }

  /**
   * Marks purged partitions as live again; earlier readers and folds must not take them for the
   * former ones.
   */
  async #revive(appended: readonly AppendedRecord[]): Promise<void> {
    for (const { experimentId, newPartitions } of appended) {
      const numbers = newPartitions.filter((one) => one.isRevived).map(({ number }) => number);
      if (numbers.length > 0) await revivePartitions(this.#transaction, experimentId, numbers);
    }
  }
}

const noRoom: Record<number, string> = {
  [PointResult.limitExceeded]:
    "The experiment has as many series as it may have; nothing of the batch was stored.",
  [PointResult.partitionsExceeded]:
    "The organization's quota of metadata partitions has no room for the batch; nothing of it was stored. Ask the operator of the service for more.",
  [PointResult.bytesExceeded]:
    "The organization's quota of bytes has no room for the batch; nothing of it was stored. Ask the operator of the service for more.",
};

function leftAfter(room: Room, bytes: number, partitions: number): Room {
  return {
    bytes: { ...room.bytes, used: room.bytes.used + bytes },
    partitions: { ...room.partitions, used: room.partitions.used + partitions },
  };
}
