import { DatabaseError, type Transaction } from "../database/database.ts";
import type { Ledger } from "../database/quotas/ledger.ts";
import { ServiceError } from "../ground/errors.ts";
import { ChunkCache } from "./chunk-cache.ts";
import { DamagedExperiment } from "./damaged-experiment.ts";
import { ExperimentLog, type HeadRow, type LogContext } from "./experiment-log.ts";
import { GroupAppends, type GroupLog } from "./group-appends.ts";

/** Limits on the logs kept in memory. The least recently written one is evicted first. */
interface KeptLimits {
  bytesMax: number;
  /** Bytes of idle logs kept in memory when one read can restore them. */
  restingBytesMax: number;
  restsAfterMs: number;
  looksEveryMs: number;
}

/** Several may share these limits. */
interface Sharing {
  sharedBy: number;
}

const keptLimits: KeptLimits = {
  bytesMax: 256 * 1024 * 1024,
  restingBytesMax: 16 * 1024 * 1024,
  restsAfterMs: 10_000,
  looksEveryMs: 1_000,
};
/** Time for which an experiment with unreadable data is not tried again. */
const setAsideMs = 10_000;

interface CachedLog {
  log: ExperimentLog;
  /** Bytes as last counted: they change only while a group appends to the log. */
  bytes: number;
  usedAtMs: number;
}

/** The ExperimentLogs that are in memory, and the group that is being appended. */
export class ExperimentLogs {
  readonly #context: LogContext;
  readonly #chunks: ChunkCache;
  readonly #limits: KeptLimits;
  /** In the order of use. */
  readonly #logs = new Map<string, CachedLog>();
  #keptBytes = 0;
  #lookedAtMs = 0;
  readonly #unsealed = new Set<string>();
  /** Damaged experiments, and when they are tried again. */
  readonly #setAside = new Map<string, number>();
  #group: GroupAppends | undefined;
  #incarnation: string | undefined;

  constructor(context: LogContext, limits: KeptLimits | Sharing = keptLimits) {
    this.#context = context;
    this.#limits = "sharedBy" in limits ? shareOf(limits) : limits;
    this.#chunks = new ChunkCache(context.bucket);
  }

  /**
   * Locks the heads in the order of their ids (two nodes never wait for each other in a circle) and
   * catches up.
   */
  async begin(
    transaction: Transaction,
    experimentIds: string[],
    ledger: Ledger,
  ): Promise<GroupAppends> {
    // After a failover: another server may have other points at the same place of a log.
    if (transaction.incarnation !== this.#incarnation)
      for (const id of this.#logs.keys()) this.#drop(id);
    this.#incarnation = transaction.incarnation;
    const group = new Map<string, GroupLog>();
    const deleted = new Set<string>();
    const wanted = experimentIds.filter((id) => !this.#isSetAside(id));
    if (wanted.length > 0) {
      const found = await transaction.all<HeadRow & { has_quotas: number; has_deleted: number }>(
        `SELECT experiment, log_seq, seal_seq, manifest_seq, points, sealed_points, trashed,
           CASE WHEN EXISTS (SELECT 1 FROM quota) THEN 1 ELSE 0 END AS has_quotas,
           CASE WHEN EXISTS (SELECT 1 FROM organization
             WHERE trashed_at_ms IS NOT NULL AND purged_at_ms IS NULL)
             THEN 1 ELSE 0 END AS has_deleted
         FROM head WHERE ${transaction.isOneOf("experiment", "$1")} ORDER BY experiment${transaction.forUpdate}`,
        JSON.stringify(wanted),
      );
      const open = found.filter(({ trashed }) => trashed === 0);
      const organizations = await this.#organizationsOf(transaction, open);
      const closed = found.some((head) => head.has_deleted === 1)
        ? await deletedAmong(transaction, new Set(organizations.values()))
        : nobody;
      const heads = open.filter(({ experiment }) => !closed.has(organizations.get(experiment)!));
      const living = new Set(heads.map(({ experiment }) => experiment));
      for (const id of wanted) if (!living.has(id)) deleted.add(id);
      for (const id of deleted) this.#drop(id);
      const limited = heads.some((head) => head.has_quotas === 1)
        ? await limitedAmong(transaction, new Set(organizations.values()))
        : nobody;
      for (const head of heads) {
        const organizationId = organizations.get(head.experiment)!;
        const log = await this.#caughtUp(transaction, head, organizationId);
        group.set(head.experiment, { log, isLimited: limited.has(organizationId) });
      }
    }
    for (const id of this.#group?.appendedTo ?? []) this.#count(id);
    for (const id of group.keys()) this.#count(id);
    this.#evict(group);
    this.#group = new GroupAppends(transaction, { group, deleted }, this.#unsealed, ledger);
    return this.#group;
  }

  /** Number of logs in memory. */
  get size(): number {
    return this.#logs.size;
  }

  /** Returns experiments whose log became long since the last call. */
  takeUnsealed(): string[] {
    const ids = [...this.#unsealed];
    this.#unsealed.clear();
    return ids;
  }

  /**
   * Forgets the group's logs: after a failed commit they may be ahead of the database, and are read
   * anew.
   */
  forgetGroup(): void {
    for (const id of this.#group?.appendedTo ?? []) this.#drop(id);
    this.#group = undefined;
  }

  /**
   * Leaves a damaged experiment out of the groups of the next seconds: looking again costs all
   * others time.
   */
  leaveOut(damaged: DamagedExperiment): void {
    this.#drop(damaged.experimentId);
    this.#setAside.set(damaged.experimentId, performance.now() + setAsideMs);
  }

  #isSetAside(experimentId: string): boolean {
    const untilMs = this.#setAside.get(experimentId);
    if (untilMs === undefined) return false;
    if (performance.now() < untilMs) return true;
    this.#setAside.delete(experimentId);
    return false;
  }

  #drop(experimentId: string): void {
    const kept = this.#logs.get(experimentId);
    if (kept === undefined) return;
    kept.log.dispose();
    this.#keptBytes -= kept.bytes;
    this.#logs.delete(experimentId);
  }

  #count(experimentId: string): void {
    const kept = this.#logs.get(experimentId);
    if (kept === undefined) return;
    this.#keptBytes -= kept.bytes;
    kept.bytes = kept.log.bytes;
    this.#keptBytes += kept.bytes;
  }

  /**
   * Returns the organization by experiment. An experiment never leaves its organization, so only
   * those not in memory are read.
   */
  async #organizationsOf(
    transaction: Transaction,
    heads: readonly HeadRow[],
  ): Promise<Map<string, string>> {
    const organizations = new Map<string, string>();
    const unknown: string[] = [];
    for (const { experiment } of heads) {
      const kept = this.#logs.get(experiment);
      if (kept === undefined) unknown.push(experiment);
      else organizations.set(experiment, kept.log.organizationId);
    }
    if (unknown.length > 0) {
      const rows = await transaction.all<{ id: string; organization: string; server: number }>(
        `SELECT id, organization, server FROM experiment WHERE ${transaction.isOneOf("id", "$1")}`,
        JSON.stringify(unknown),
      );
      for (const { id, organization, server } of rows) {
        if (server !== 0) throw new ServiceError("storage_unavailable", unknownWorker(server));
        organizations.set(id, organization);
      }
    }
    return organizations;
  }

  async #caughtUp(
    transaction: Transaction,
    head: HeadRow,
    organizationId: string,
  ): Promise<ExperimentLog> {
    const id = head.experiment;
    if (this.#logs.get(id)?.log.canCatchUp(head) === false) this.#drop(id);
    const kept = this.#logs.get(id) ?? {
      log: new ExperimentLog({ id, organizationId }, this.#context, this.#chunks),
      bytes: 0,
      usedAtMs: 0,
    };
    const { log } = kept;
    kept.usedAtMs = performance.now();
    // Set anew, so that the map stays in the order of use.
    this.#logs.delete(id);
    this.#logs.set(id, kept);
    try {
      await log.catchUp(transaction, head);
    } catch (error) {
      this.#drop(id);
      throw error instanceof DatabaseError ? error : new DamagedExperiment(id, error);
    }
    return log;
  }

  #evict(group: ReadonlyMap<string, GroupLog>): void {
    for (const id of this.#logs.keys()) {
      if (this.#keptBytes <= this.#limits.bytesMax) break;
      if (!group.has(id)) this.#drop(id);
    }
    const nowMs = performance.now();
    if (nowMs < this.#lookedAtMs + this.#limits.looksEveryMs) return;
    this.#lookedAtMs = nowMs;
    for (const [id, { log, usedAtMs }] of this.#logs) {
      const isLate = nowMs >= usedAtMs + this.#limits.restsAfterMs;
      if (this.#keptBytes <= this.#limits.restingBytesMax || !isLate) return;
      if (log.isShort && !group.has(id)) this.#drop(id);
    }
  }
}

/** Where this node had any worker, the write would not be here. */
function unknownWorker(server: number): string {
  return `The points of this experiment are on worker ${server}, which this node does not know.`;
}

function shareOf({ sharedBy }: Sharing): KeptLimits {
  const { bytesMax, restingBytesMax, ...times } = keptLimits;
  return { bytesMax: bytesMax / sharedBy, restingBytesMax: restingBytesMax / sharedBy, ...times };
}

const nobody: ReadonlySet<string> = new Set();

/** Returns those in the trash: a writer admitted before stores nothing more. */
async function deletedAmong(
  transaction: Transaction,
  organizationIds: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM organization
     WHERE trashed_at_ms IS NOT NULL AND ${transaction.isOneOf("id", "$1")}`,
    JSON.stringify([...organizationIds]),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns those that have a quota. */
async function limitedAmong(
  transaction: Transaction,
  organizationIds: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const rows = await transaction.all<{ organization: string }>(
    `SELECT organization FROM quota WHERE ${transaction.isOneOf("organization", "$1")}`,
    JSON.stringify([...organizationIds]),
  );
  return new Set(rows.map(({ organization }) => organization));
}
