import { DatabaseError, type Database, type Transaction } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import { DamagedExperiment } from "../points/damaged-experiment.ts";
import type { ExperimentLogs } from "../points/experiment-logs.ts";
import type { GroupAppends } from "../points/group-appends.ts";
import { Ledger } from "../database/quotas/ledger.ts";
import { Errands } from "../database/errands.ts";
import { freeMemory } from "../ground/free-memory.ts";
import type { OperationFlags } from "../database/operation.ts";
import type { OperationContext } from "./operations.ts";
import { type Outcome, pointsOf, type Write } from "./storage.ts";
import { CommitTimes } from "./commit-times.ts";

export interface WriteRequest {
  writes: Write[];
}

/** `owed`: experiments whose errands have to be done before the answer is sent. */
export type WriteAnswer = { outcomes: Outcome[]; owed?: ReadonlySet<string> } | { error: Error };

export type WriteOperation = ((
  transaction: Transaction,
  input: unknown,
  context: OperationContext,
) => Promise<unknown>) &
  OperationFlags;

/** Points in one group; more waiting requests make a second group. */
const pointsPerGroup = 65_536;
/** Writes that are not points, in one group. */
const callsPerGroup = 1_000;
/** A transaction that lost to another node (deadlock, serialization) is rerun this many times. */
const conflictRetries = 20;

/**
 * Turns waiting write requests into groups: one transaction, one fsync, then all are answered. A
 * group is whatever arrived while the previous one was committed; there is no timer. Requests of a
 * group run in order of arrival, writes of a request in their order.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #logs: ExperimentLogs;
  readonly #operations: Record<string, WriteOperation>;
  readonly #clock: () => number;
  readonly #warn: (message: string, error: Error) => void;
  readonly #place: (() => number) | undefined;
  readonly #times = new CommitTimes();
  readonly #counts = { requests: 0, points: 0, conflicts_retried: 0, damaged_experiments: 0 };

  /** `place`, where there are workers, returns the server for a new experiment. */
  constructor(
    database: Database,
    logs: ExperimentLogs,
    operations: Record<string, WriteOperation>,
    clock: () => number,
    warn: (message: string, error: Error) => void,
    place?: () => number,
  ) {
    this.#place = place;
    this.#database = database;
    this.#logs = logs;
    this.#operations = operations;
    this.#clock = clock;
    this.#warn = warn;
  }

  get statistics(): Record<string, number> {
    return { ...this.#counts, ...this.#times.figures };
  }

  /** Whether one of the writes, or each, is an operation with this flag. */
  isFlagged({ writes }: WriteRequest, flag: keyof OperationFlags): boolean {
    return writes.some((write) => this.#hasFlag(write, flag));
  }

  isWholly({ writes }: WriteRequest, flag: keyof OperationFlags): boolean {
    return writes.every((write) => this.#hasFlag(write, flag));
  }

  #hasFlag(write: Write, flag: keyof OperationFlags): boolean {
    return write.kind === "call" && this.#operations[write.name]?.[flag] !== undefined;
  }

  /** Takes one group's requests off the front of the queue. */
  take<Request extends WriteRequest>(queue: Request[]): Request[] {
    let points = 0;
    let calls = 0;
    let count = 0;
    while (count < queue.length && points < pointsPerGroup && calls < callsPerGroup) {
      const isAlone = this.isFlagged(queue[count], "alone");
      if (isAlone && count > 0) break;
      for (const write of queue[count].writes) {
        points += pointsOf(write)?.count ?? 0;
        if (write.kind !== "metrics") calls++;
      }
      count++;
      if (isAlone) break;
    }
    return queue.splice(0, count);
  }

  /**
   * Commits a group, and answers each request in its place. Never rejects, except with a
   * DatabaseError of kind `failed` or `corrupt`: then nothing of the group may be acknowledged and
   * the process has to stop.
   */
  async commit(group: WriteRequest[]): Promise<WriteAnswer[]> {
    const startedMs = performance.now();
    try {
      const answers = await this.#commitWithRetries(group);
      this.#note(group, (performance.now() - startedMs) / 1000);
      return answers;
    } catch (error) {
      this.#logs.forgetGroup();
      if (error instanceof DatabaseError) {
        if (error.kind === "failed" || error.kind === "corrupt") throw error;
        if (error.kind === "unknown") {
          this.#warn(
            "It is not known whether some writes were stored; none is acknowledged.",
            error,
          );
        }
        const refusal = refusalFor(error);
        return group.map(() => ({ error: refusal }));
      }
      // A defect in one request must not take the others with it: each runs by itself.
      if (group.length > 1) {
        const answers: WriteAnswer[] = [];
        for (const request of group) answers.push(...(await this.commit([request])));
        return answers;
      }
      return [{ error: error as Error }];
    }
  }

  async #commitWithRetries(group: WriteRequest[]): Promise<WriteAnswer[]> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#database.write((transaction) => this.#run(transaction, group));
      } catch (error) {
        if (error instanceof DamagedExperiment) {
          // The group is run again without it, so that the others are not affected. Each experiment
          // can cause this once.
          this.#logs.forgetGroup();
          this.#logs.leaveOut(error);
          this.#counts.damaged_experiments++;
          this.#warn(
            "Nothing is added to an experiment whose stored points cannot be read.",
            error,
          );
          continue;
        }
        const conflict = error instanceof DatabaseError && error.kind === "conflict";
        if (!conflict || attempt >= conflictRetries) throw error;
        this.#logs.forgetGroup();
        this.#counts.conflicts_retried++;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * (attempt + 1)));
      }
    }
  }

  async #run(transaction: Transaction, group: WriteRequest[]): Promise<WriteAnswer[]> {
    const ledger = new Ledger(transaction);
    const context = { nowMs: this.#clock(), ledger };
    const appends = await this.#logs.begin(transaction, experimentsOf(group), ledger);
    const answers: WriteAnswer[] = [];
    for (const { writes } of group) {
      const outcomes: Outcome[] = [];
      const errands = this.#place && new Errands(transaction, context.nowMs, this.#place);
      const own = errands === undefined ? context : { ...context, errands };
      for (const write of writes) {
        outcomes.push(
          write.kind === "metrics"
            ? await outcomeOf(async () => ({
                kind: "metrics",
                ...(await appends.append(write.experimentId, write.points)),
              }))
            : await this.#call(transaction, write, recording(write, own, appends)),
        );
      }
      answers.push(errands === undefined ? { outcomes } : { outcomes, owed: errands.owed });
    }
    await appends.finish(context.nowMs);
    await ledger.finish(context.nowMs);
    return answers;
  }

  async #call(
    transaction: Transaction,
    write: Exclude<Write, { kind: "metrics" }>,
    context: OperationContext,
  ): Promise<Outcome> {
    const { name, input } = write as { name: string; input: unknown };
    const operation = this.#operations[name];
    if (operation === undefined) throw new Error(`BUG: no write operation ${name}`);
    return outcomeOf(async () => ({
      kind: "value",
      value: await context.ledger.attempt(() => operation(transaction, input, context)),
    }));
  }

  #note(group: WriteRequest[], seconds: number): void {
    this.#times.note(seconds);
    this.#counts.requests += group.length;
    for (const { writes } of group) {
      for (const write of writes) this.#counts.points += pointsOf(write)?.count ?? 0;
    }
  }
}

/**
 * Returns the recorder for points that a call appends itself, as its last step: memory is not
 * rolled back with an attempt.
 */
function recording(
  { recorded }: Exclude<Write, { kind: "metrics" }>,
  context: OperationContext,
  appends: GroupAppends,
): OperationContext {
  if (recorded === undefined) return context;
  const { experimentId, points } = recorded;
  const append = () => appends.appendWhole(experimentId, points);
  return { ...context, recording: { points, append } };
}

/** A ServiceError is the outcome of one write; any other error ends the transaction. */
async function outcomeOf(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { kind: "error", code: error.code, message: error.message, details: error.details };
  }
}

/** Frees the memory of a group's points: they are not read after its replies. */
export function releasePoints(group: WriteRequest[]): void {
  for (const { writes } of group) {
    for (const write of writes) {
      const points = pointsOf(write);
      if (points !== undefined) freeMemory(new Uint8Array(points.columns));
    }
  }
}

/**
 * Returns the experiments whose heads the group touches: they are locked in one order before all
 * else.
 */
function experimentsOf(group: WriteRequest[]): string[] {
  const ids = new Set<string>();
  for (const { writes } of group) {
    for (const write of writes) {
      if (write.kind === "metrics") ids.add(write.experimentId);
      else if (write.recorded !== undefined) ids.add(write.recorded.experimentId);
    }
  }
  return [...ids];
}

function refusalFor(error: DatabaseError): ServiceError {
  if (error.kind === "full") {
    return new ServiceError(
      "storage_full",
      "The disk is full. Nothing was stored; free some space and send again.",
    );
  }
  if (error.kind === "damaged") {
    return new ServiceError(
      "storage_unavailable",
      "The server of this experiment reports damaged data. Nothing was stored.",
    );
  }
  return new ServiceError(
    "storage_unavailable",
    "The database does not answer. It is not known whether this request was stored: send it again with the same messageIds.",
  );
}
