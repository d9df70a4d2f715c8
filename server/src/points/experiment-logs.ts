import type { Transaction } from "../database/database.ts";
import { insertRows, updateRows } from "../database/rows.ts";
import {
  ExperimentLog,
  type AppendedRecord,
  type HeadRow,
  type LogContext,
} from "./experiment-log.ts";
import type { PointBatch } from "./point-batch.ts";
import { SealedPoints } from "./sealed-points.ts";

/** Memory for the identifiers of experiments that are being written; the least recently written one goes first. */
const keptBytesMax = 256 * 1024 * 1024;

/** The ExperimentLogs that are in memory, and the group that is being appended. */
export class ExperimentLogs {
  private readonly context: LogContext;
  private readonly logs = new Map<string, ExperimentLog>();
  private readonly unsealed = new Set<string>();

  constructor(context: LogContext) {
    this.context = context;
  }

  /** Locks the heads in the order of their ids (two nodes never wait for each other in a circle) and catches up. */
  async begin(transaction: Transaction, experimentIds: string[]): Promise<GroupAppends> {
    if (experimentIds.length === 0) return new GroupAppends(transaction, new Map(), this.unsealed);
    const heads = await transaction.all<HeadRow>(
      `SELECT experiment, log_seq, seal_seq, manifest_seq, points, sealed_points FROM head
       WHERE ${transaction.isOneOf("experiment", "$1")} ORDER BY experiment${transaction.forUpdate}`,
      JSON.stringify(experimentIds),
    );
    const group = new Map<string, ExperimentLog>();
    for (const head of heads) group.set(head.experiment, await this.caughtUp(transaction, head));
    this.evict(group);
    return new GroupAppends(transaction, group, this.unsealed);
  }

  /** Experiments whose log got long since the last call. */
  takeUnsealed(): string[] {
    const ids = [...this.unsealed];
    this.unsealed.clear();
    return ids;
  }

  /** After a failed commit: what is in memory may be ahead of the database. */
  drop(experimentIds: string[]): void {
    for (const id of experimentIds) {
      this.logs.get(id)?.dispose();
      this.logs.delete(id);
    }
  }

  private async caughtUp(transaction: Transaction, head: HeadRow): Promise<ExperimentLog> {
    let log = this.logs.get(head.experiment);
    if (log !== undefined) {
      this.logs.delete(head.experiment);
      if (!log.canCatchUp(head)) {
        log.dispose();
        log = undefined;
      }
    }
    log ??= new ExperimentLog(head.experiment, this.context, new SealedPoints(this.context.bucket));
    await log.catchUp(transaction, head);
    this.logs.set(head.experiment, log);
    return log;
  }

  private evict(group: ReadonlyMap<string, ExperimentLog>): void {
    let bytes = 0;
    for (const log of this.logs.values()) bytes += log.bytes;
    for (const [id, log] of this.logs) {
      if (bytes <= keptBytesMax) return;
      if (group.has(id)) continue;
      bytes -= log.bytes;
      log.dispose();
      this.logs.delete(id);
    }
  }
}

/** The appends of one group, between `begin` and its commit. */
export class GroupAppends {
  private readonly transaction: Transaction;
  private readonly group: Map<string, ExperimentLog>;
  private readonly unsealed: Set<string>;

  constructor(transaction: Transaction, group: Map<string, ExperimentLog>, unsealed: Set<string>) {
    this.transaction = transaction;
    this.group = group;
    this.unsealed = unsealed;
  }

  async append(experimentId: string, points: PointBatch): Promise<Uint8Array> {
    const log = this.group.get(experimentId);
    if (log === undefined) throw new Error(`BUG: append to ${experimentId}, which has no head row`);
    return log.append(points);
  }

  /**
   * Writes the group's records on top of the heads it has locked: compare-and-append. A head that does not
   * stand where it was locked would mean that somebody moved it under our lock.
   */
  async finish(nowMs: number): Promise<void> {
    const appended: AppendedRecord[] = [];
    for (const log of this.group.values()) {
      const record = log.takeAppended();
      if (record !== undefined) appended.push(record);
      if (log.takeSealDue()) this.unsealed.add(log.experimentId);
    }
    await insertRows(
      this.transaction,
      "series",
      ["experiment", "partition", "name", "meta"],
      appended.flatMap(({ experimentId, newPartitions }) =>
        newPartitions.map(({ number, name, meta }) => [experimentId, number, name, meta]),
      ),
    );
    const moved = await updateRows(
      this.transaction,
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
      this.transaction,
      "log",
      ["experiment", "seq", "points", "record"],
      appended.map(({ experimentId, seq, points, record }) => [experimentId, seq, points, record]),
    );
  }
}
