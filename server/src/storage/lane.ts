import type { Database } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import type { ExperimentLogs } from "../points/experiment-logs.ts";
import type { FreeDisk } from "./free-disk.ts";
import {
  GroupCommit,
  releasePoints,
  type WriteAnswer,
  type WriteOperation,
  type WriteRequest,
} from "./group-commit.ts";
import { writeOperations } from "./operations.ts";
import { type Outcome, pointsOf, type Write } from "./storage.ts";

export interface LaneParts {
  database: Database;
  logs: ExperimentLogs;
  freeDisk: FreeDisk;
  /** Writes are refused while less is free. */
  diskReserveBytes: number;
  warn: (message: string, error: Error) => void;
  /** Storage has failed: no further write may be acknowledged. */
  fatal: (error: Error) => void;
  /** Returns the server for a new experiment, where there are workers. */
  place?: () => number;
  /** Bytes of points that may wait; beyond them requests with points are refused. */
  queueBytesMax?: number;
  /** Has the errands of experiments done, before what left them is acknowledged. */
  settle?: (experimentIds: ReadonlySet<string>) => Promise<void>;
  /** Called after each group, before the next one begins; the answers are on their way. */
  committed: (group: Committed) => void;
}

/** A group that was committed or refused. */
export interface Committed {
  /** Experiments whose logs became long. */
  unsealed: string[];
  wakesPurge: boolean;
}

/** `begin` as in Served: it waits for the group before its own. */
type Waiting = WriteRequest &
  Omit<PromiseWithResolvers<Outcome[]>, "promise"> & { begin: (() => void) | undefined };

/** A group that is in work for so long waits for its server, such as for a standby. */
const heldUpMs = 2_000;
/** Time for which a lane counts as held up after its server refused a group. */
const refusedMs = 10_000;

/** The writes of one server: a queue, and one group after another. */
export class Lane {
  readonly #parts: LaneParts;
  readonly #groups: GroupCommit;
  readonly #queue: Waiting[] = [];
  #running: Promise<void> | undefined;
  /** When the group in work began. */
  #beganMs = Infinity;
  #refusedAtMs = -Infinity;

  constructor(parts: LaneParts) {
    this.#parts = parts;
    const { database, logs, warn, place } = parts;
    const operations = writeOperations as Record<string, WriteOperation>;
    this.#groups = new GroupCommit(database, logs, operations, Date.now, warn, place);
  }

  get statistics(): Record<string, number> {
    return { ...this.#groups.statistics, queued: this.#queue.length };
  }

  /** Its server may answer reads, and takes no writes now: new experiments do not go there. */
  get isHeldUp(): boolean {
    const nowMs = performance.now();
    return nowMs - this.#beganMs > heldUpMs || nowMs - this.#refusedAtMs < refusedMs;
  }

  write(writes: Write[], begin?: () => void): Promise<Outcome[]> {
    const { queueBytesMax = Infinity } = this.#parts;
    // Errands and the engine's own writes have no points, and are of changes that are stored.
    const isBounded = queueBytesMax < Infinity && writes.some(pointsOf);
    if (isBounded && bytesOf(this.#queue) > queueBytesMax) return refuseMore();
    const { promise, ...waiting } = Promise.withResolvers<Outcome[]>();
    this.#queue.push({ writes, begin, ...waiting });
    this.#running ??= this.#run().catch((error: unknown) => this.#parts.fatal(error as Error));
    return promise;
  }

  /** Resolves when nothing waits any more. */
  async end(): Promise<void> {
    await this.#running;
  }

  /**
   * Commits groups until no write waits. Rejects when storage has failed: no further write may be
   * acknowledged.
   */
  async #run(): Promise<void> {
    const { logs, freeDisk, diskReserveBytes, committed } = this.#parts;
    // Writes that arrive in one message make one group.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      if (freeDisk.bytes < diskReserveBytes) this.#refuseWaiting();
      const group = this.#groups.take(this.#queue);
      for (const { begin } of group) begin?.();
      this.#answer(group, await this.#commit(group));
      releasePoints(group);
      const wakesPurge = group.some((request) => this.#groups.isFlagged(request, "wakes"));
      const unsealed = logs.takeUnsealed();
      // The answers leave before the next group begins.
      await Promise.resolve();
      committed({ unsealed, wakesPurge });
    }
    this.#running = undefined;
  }

  async #commit(group: Waiting[]): Promise<WriteAnswer[]> {
    this.#beganMs = performance.now();
    const answers = await this.#groups.commit(group);
    this.#beganMs = Infinity;
    this.#refusedAtMs = answers.some(isUnavailable) ? performance.now() : -Infinity;
    return answers;
  }

  /** Answers that leave errands wait for them; the next groups do not. */
  #answer(group: Waiting[], answers: WriteAnswer[]): void {
    for (const [index, answer] of answers.entries()) {
      const { resolve, reject } = group[index];
      if ("error" in answer) reject(answer.error);
      else if (answer.owed === undefined || answer.owed.size === 0) resolve(answer.outcomes);
      else this.#parts.settle!(answer.owed).then(() => resolve(answer.outcomes), reject);
    }
  }

  #refuseWaiting(): void {
    const isOurs = (request: WriteRequest) => this.#groups.isWholly(request, "onFullDisk");
    const refused = this.#queue.filter((request) => !isOurs(request));
    const kept = this.#queue.filter(isOurs);
    this.#queue.splice(0, this.#queue.length, ...kept);
    const error = new ServiceError(
      "storage_full",
      "The disk is nearly full, so nothing is written any more. Free some space and send again.",
    );
    for (const { reject } of refused) reject(error);
  }
}

function isUnavailable(answer: WriteAnswer): boolean {
  if (!("error" in answer)) return false;
  return answer.error instanceof ServiceError && answer.error.code === "storage_unavailable";
}

function bytesOf(queue: readonly WriteRequest[]): number {
  let bytes = 0;
  for (const { writes } of queue)
    for (const write of writes) bytes += pointsOf(write)?.columns.byteLength ?? 0;
  return bytes;
}

function refuseMore(): Promise<never> {
  const sentence = "Too many points wait for the server of this experiment; try again.";
  return Promise.reject(new ServiceError("overloaded", sentence));
}
