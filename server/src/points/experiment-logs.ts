import { DatabaseError, type Transaction } from "../database/database.ts";
import type { Ledger } from "../quotas/ledger.ts";
import { ChunkCache } from "./chunk-cache.ts";
import { DamagedExperiment } from "./damaged-experiment.ts";
import { ExperimentLog, type HeadRow, type LogContext } from "./experiment-log.ts";
import { GroupAppends } from "./group-appends.ts";
import type { GroupLog } from "./group-appends.ts";
import { SealedPoints } from "./sealed-points.ts";

/** Memory for the identifiers of experiments that are being written; the least recently written one goes first. */
const keptBytesMax = 256 * 1024 * 1024;
/** How long an experiment whose data cannot be read is not tried again. */
const setAsideMs = 10_000;

/** The ExperimentLogs that are in memory, and the group that is being appended. */
export class ExperimentLogs {
  private readonly context: LogContext;
  private readonly chunks: ChunkCache;
  private readonly logs = new Map<string, ExperimentLog>();
  private readonly unsealed = new Set<string>();
  /** Damaged experiments, and when they are tried again. */
  private readonly setAside = new Map<string, number>();
  private group: GroupAppends | undefined;
  private incarnation: string | undefined;

  constructor(context: LogContext) {
    this.context = context;
    this.chunks = new ChunkCache(context.bucket);
  }

  /** Locks the heads in the order of their ids (two nodes never wait for each other in a circle) and catches up. */
  async begin(
    transaction: Transaction,
    experimentIds: string[],
    ledger: Ledger,
  ): Promise<GroupAppends> {
    // After a failover: another server may have other points at the same place of a log.
    if (transaction.incarnation !== this.incarnation)
      for (const id of this.logs.keys()) this.drop(id);
    this.incarnation = transaction.incarnation;
    const group = new Map<string, GroupLog>();
    const wanted = experimentIds.filter((id) => !this.isSetAside(id));
    if (wanted.length > 0) {
      const heads = await transaction.all<HeadRow>(
        `SELECT experiment, log_seq, seal_seq, manifest_seq, points, sealed_points,
           (SELECT organization FROM experiment WHERE id = head.experiment) AS organization,
           (SELECT count(*) FROM quota WHERE organization =
             (SELECT organization FROM experiment WHERE id = head.experiment)) AS is_limited
         FROM head WHERE ${transaction.isOneOf("experiment", "$1")} ORDER BY experiment${transaction.forUpdate}`,
        JSON.stringify(wanted),
      );
      for (const head of heads) {
        const log = await this.caughtUp(transaction, head);
        const { organization: organizationId, is_limited: isLimited } = head;
        group.set(head.experiment, { log, organizationId, isLimited: isLimited > 0 });
      }
    }
    this.evict(group);
    this.group = new GroupAppends(transaction, group, this.unsealed, ledger);
    return this.group;
  }

  /** Experiments whose log got long since the last call. */
  takeUnsealed(): string[] {
    const ids = [...this.unsealed];
    this.unsealed.clear();
    return ids;
  }

  /** After a failed commit: what the group appended to may be ahead of the database, and is read anew. */
  forgetGroup(): void {
    for (const id of this.group?.appendedTo ?? []) this.drop(id);
    this.group = undefined;
  }

  /** Leaves a damaged experiment out of the groups of the next seconds: looking again costs all others time. */
  leaveOut(damaged: DamagedExperiment): void {
    this.drop(damaged.experimentId);
    this.setAside.set(damaged.experimentId, performance.now() + setAsideMs);
  }

  private isSetAside(experimentId: string): boolean {
    const untilMs = this.setAside.get(experimentId);
    if (untilMs === undefined) return false;
    if (performance.now() < untilMs) return true;
    this.setAside.delete(experimentId);
    return false;
  }

  private drop(experimentId: string): void {
    this.logs.get(experimentId)?.dispose();
    this.logs.delete(experimentId);
  }

  private async caughtUp(transaction: Transaction, head: HeadRow): Promise<ExperimentLog> {
    const id = head.experiment;
    if (this.logs.get(id)?.canCatchUp(head) === false) this.drop(id);
    const { context, chunks } = this;
    const log =
      this.logs.get(id) ?? new ExperimentLog(id, context, new SealedPoints(context.bucket, chunks));
    // Set anew, so that the map stays in the order of use.
    this.logs.delete(id);
    this.logs.set(id, log);
    try {
      await log.catchUp(transaction, head);
    } catch (error) {
      this.drop(id);
      throw error instanceof DatabaseError ? error : new DamagedExperiment(id, error);
    }
    return log;
  }

  private evict(group: ReadonlyMap<string, GroupLog>): void {
    let bytes = 0;
    for (const log of this.logs.values()) bytes += log.bytes;
    for (const [id, log] of this.logs) {
      if (bytes <= keptBytesMax) return;
      if (group.has(id)) continue;
      bytes -= log.bytes;
      this.drop(id);
    }
  }
}
