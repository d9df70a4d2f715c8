import { DatabaseError, type Database } from "../database/database.ts";
import type { Merger } from "../points/merge.ts";
import type { Sealer } from "../points/seal.ts";
import type { SegmentSweeper } from "../points/segment-sweeper.ts";
import { BackOff } from "./back-off.ts";
import type { WriteOperations } from "./operations.ts";

/** Runs one write operation through the writer thread. */
export type BackgroundWrite = <Name extends keyof WriteOperations>(
  name: Name,
  input: Parameters<WriteOperations[Name]>[1],
) => Promise<Awaited<ReturnType<WriteOperations[Name]>>>;

export interface BackgroundParts {
  database: Database;
  write: BackgroundWrite;
  sealer: Sealer;
  merger: Merger;
  sweeper: SegmentSweeper;
  settings: { sealPoints: number; sealIdleMs: number };
  /** The node's name in the lease; undefined when there can be no other node. */
  node: string | undefined;
  warn(message: string, error: unknown): void;
}

/** How often the database is asked for work that no notice announced: idle experiments, other nodes' logs. */
const lookEveryMs = 1_000;
const sweepEveryMs = 60_000;
const leaseMs = 15_000;
/** Points in the whole log before the longest logs are sealed even if none is long by itself. */
const logPointsMax = 1_000_000;

/** One loop, one thing at a time: seal what is due, merge what that filled, now and then sweep. */
export class BackgroundWork {
  readonly statistics = { seals: 0, sealed_points: 0, merges: 0, swept_objects: 0, failures: 0 };
  private readonly parts: BackgroundParts;
  private readonly noticed = new Set<string>();
  private readonly backOff = new BackOff();
  private stopped = false;
  private wake: (() => void) | undefined;
  private sweptAtMs = 0;
  private lookedAtMs = -Infinity;

  constructor(parts: BackgroundParts) {
    this.parts = parts;
  }

  notify(experimentIds: string[]): void {
    for (const id of experimentIds) this.noticed.add(id);
    this.wake?.();
  }

  stop(): void {
    this.stopped = true;
    this.wake?.();
  }

  /** Until `stop`. Rejects when the disk has failed or the database is corrupt: then the process has to stop. */
  async run(): Promise<void> {
    while (!this.stopped) {
      const succeeded = await this.trying("Looking for logs to seal failed.", async () => {
        if (await this.leads()) await this.round();
        else this.noticed.clear();
      });
      // After a failure also with work at hand: the database that failed is not asked in a tight loop.
      if (!succeeded || this.noticed.size === 0) await this.pause(lookEveryMs);
    }
  }

  /** Returns whether the work succeeded; its failure is a warning, unless nothing can go on. */
  private async trying(sentence: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (this.stopped) return false;
      const isFatal =
        error instanceof DatabaseError && (error.kind === "failed" || error.kind === "corrupt");
      if (isFatal) throw error;
      this.statistics.failures++;
      this.parts.warn(sentence, error);
      return false;
    }
  }

  private async leads(): Promise<boolean> {
    const { node, write } = this.parts;
    if (node === undefined) return true;
    return (await write("background.lease", { work: "background", node, leaseMs })).held;
  }

  private async round(): Promise<void> {
    const due = new Set(this.noticed);
    this.noticed.clear();
    if (performance.now() - this.lookedAtMs >= lookEveryMs) {
      this.lookedAtMs = performance.now();
      for (const id of await this.look()) due.add(id);
    }
    for (const experimentId of due) {
      if (this.stopped) return;
      if (this.backOff.isDue(experimentId)) await this.sealAndMerge(experimentId);
    }
    if (performance.now() - this.sweptAtMs >= sweepEveryMs) {
      this.sweptAtMs = performance.now();
      await this.trying("Sweeping failed; it is tried again in a minute.", async () => {
        this.statistics.swept_objects += await this.parts.sweeper.sweep();
      });
    }
  }

  /** One that cannot be sealed must not keep the others from it. */
  private async sealAndMerge(experimentId: string): Promise<void> {
    const sentence = `Experiment ${experimentId} cannot be sealed or merged now; it is tried again later.`;
    const succeeded = await this.trying(sentence, async () => {
      const sealed = await this.parts.sealer.seal(experimentId);
      if (sealed === 0) return;
      this.statistics.seals++;
      this.statistics.sealed_points += sealed;
      this.statistics.merges += await this.parts.merger.mergeDue(experimentId);
    });
    if (succeeded) this.backOff.succeeded(experimentId);
    else this.backOff.failed(experimentId);
  }

  /** Experiments that are due: long logs, finished or idle experiments, and the longest while the log is too long. */
  private async look(): Promise<string[]> {
    const { database, settings } = this.parts;
    const rows = await database.read((reader) =>
      reader.all<{ experiment: string; unsealed: number; appended_at_ms: number; status: string }>(
        `SELECT head.experiment, head.points - head.sealed_points AS unsealed, head.appended_at_ms, experiment.status
         FROM head JOIN experiment ON experiment.id = head.experiment
         WHERE head.points > head.sealed_points ORDER BY head.points - head.sealed_points DESC`,
      ),
    );
    const nowMs = Date.now();
    let logPoints = rows.reduce((sum, row) => sum + row.unsealed, 0);
    const due: string[] = [];
    for (const row of rows) {
      const idleMs = nowMs - row.appended_at_ms;
      const finished = row.status !== "running" && idleMs >= settings.sealIdleMs / 20;
      const isDue =
        row.unsealed >= settings.sealPoints ||
        logPoints > logPointsMax ||
        finished ||
        idleMs >= settings.sealIdleMs;
      if (!isDue) continue;
      due.push(row.experiment);
      logPoints -= row.unsealed;
    }
    return due;
  }

  private async pause(ms: number): Promise<void> {
    if (this.stopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.wake = undefined;
  }
}
