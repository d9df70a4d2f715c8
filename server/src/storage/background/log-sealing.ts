import type { Database } from "../../database/database.ts";
import type { Merger } from "../../points/merge.ts";
import type { Sealer } from "../../points/seal.ts";
import { BackOff } from "./back-off.ts";
import { isFatal, type Task } from "./runner.ts";
import { isOurs, type Slices } from "./slices.ts";

export interface LogSealingParts {
  database: Database;
  sealer: Sealer;
  merger: Merger;
  /** Whether an experiment's log has to stay as it is for now. */
  isHeld(experimentId: string): boolean;
  settings: { sealPoints: number; sealIdleMs: number };
  slices: Slices | undefined;
  warn(message: string, error: unknown): void;
}

/**
 * Interval of looking in the database for unannounced work: idle experiments, other nodes' logs.
 */
const lookEveryMs = 1_000;
/** Points in the whole log before the longest logs are sealed even if none is long by itself. */
const logPointsOfAllMax = 1_000_000;

/** Seals the logs that are due, one after another, and runs the merges that become due. */
export class LogSealing implements Task {
  readonly failure = "Looking for logs to seal failed.";
  readonly everyMs = lookEveryMs;
  readonly firstMs = 0;
  readonly lease: Slices | undefined;
  readonly figures = { seals: 0, sealed_points: 0, merges: 0, failures: 0 };
  readonly #parts: LogSealingParts;
  readonly #noticed = new Set<string>();
  readonly #backOff = new BackOff();
  #lookedAtMs = -Infinity;

  constructor(parts: LogSealingParts) {
    this.#parts = parts;
    this.lease = parts.slices;
  }

  notify(experimentIds: string[]): void {
    for (const id of experimentIds) this.#noticed.add(id);
  }

  async round(stopped: AbortSignal): Promise<boolean> {
    const due = new Set(this.#noticed);
    this.#noticed.clear();
    if (performance.now() - this.#lookedAtMs >= lookEveryMs) {
      this.#lookedAtMs = performance.now();
      for (const id of await this.#look()) due.add(id);
    }
    for (const experimentId of due) {
      if (stopped.aborted) return false;
      if (this.lease?.has(experimentId) === false) continue;
      if (this.#backOff.isDue(experimentId)) await this.#sealAndMerge(experimentId, stopped);
    }
    return this.#noticed.size > 0;
  }

  idle(): void {
    this.#noticed.clear();
  }

  /** Seals and merges one experiment; a failure does not stop the others. */
  async #sealAndMerge(experimentId: string, stopped: AbortSignal): Promise<void> {
    const { sealer, merger } = this.#parts;
    if (this.#parts.isHeld(experimentId)) return;
    try {
      const sealed = await sealer.seal(experimentId);
      if (sealed > 0) {
        this.figures.seals++;
        this.figures.sealed_points += sealed;
        this.figures.merges += await merger.mergeDue(experimentId);
      }
      this.#backOff.succeeded(experimentId);
    } catch (error) {
      if (stopped.aborted) return;
      if (isFatal(error)) throw error;
      this.figures.failures++;
      this.#backOff.failed(experimentId);
      const later = "it is tried again later";
      const message = `Experiment ${experimentId} cannot be sealed or merged now; ${later}.`;
      this.#parts.warn(message, error);
    }
  }

  /**
   * Experiments that are due: long logs, finished or idle experiments, and the longest while the
   * log is too long.
   */
  async #look(): Promise<string[]> {
    const { database, settings } = this.#parts;
    const rows = await database.read((reader) =>
      reader.all<{ experiment: string; unsealed: number; appended_at_ms: number; status: string }>(
        `SELECT head.experiment, head.points - head.sealed_points AS unsealed, head.appended_at_ms, experiment.status
         FROM head JOIN experiment ON experiment.id = head.experiment
         WHERE head.points > head.sealed_points AND ${isOurs(this.lease, "head.experiment")}
         ORDER BY head.points - head.sealed_points DESC`,
      ),
    );
    const nowMs = Date.now();
    const logPointsMax = logPointsOfAllMax * (this.lease?.share ?? 1);
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
}
