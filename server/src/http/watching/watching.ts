import { ServiceError } from "../../ground/errors.ts";
import { FairShares } from "../../ground/fair-shares.ts";
import {
  type Outcome,
  PointResult,
  type Write,
  type WriteOperations,
} from "../../storage/storage.ts";
import { GatheredStates, idsPerReadMax, type Reads } from "./gathered-states.ts";
import { Load } from "./load.ts";
import { Turns } from "./turns.ts";
import { type Common, type Question, Wait } from "./wait.ts";
import { WatchedMarks } from "./watched-marks.ts";

/**
 * Maximum of waiting requests. Each holds a connection; at most half of the connections may wait.
 */
const waitsMax = 4_096;
/** Maximum of experiments that all of them name together. */
const watchedMax = 262_144;
/** Interval of the reads for changes by other nodes. */
const lookEveryMs = 500;

/** The experiments that an operation reports as changed. */
interface Changed {
  experimentId?: string;
  experimentIds?: string[];
}

/** Operations after which the organization has other experiments than before. */
const changesTheirNumber: ReadonlySet<string> = new Set<keyof WriteOperations>([
  "experiment.open",
  "trash.experiments",
  "trash.folder",
  "trash.restore",
  "run.create",
]);

export interface WatchingOptions {
  maxConnections: number;
  /** Whether other nodes write into the same database; they send no notice. */
  sharesDatabase: boolean;
  /** Aborts when every waiting request has to be answered. */
  stop: AbortSignal;
  load?: Pick<Load, "apartMs">;
}

/**
 * The requests that wait for changes of experiments. Changes acknowledged by this process are known
 * without a query. Changes by other nodes are found by one read for all waiting requests, while
 * there are any.
 */
export class Watching {
  readonly #common: Common;
  readonly #waits = new Set<Wait>();
  readonly #requests: FairShares;
  readonly #watched = new FairShares(watchedMax);
  readonly #sharesDatabase: boolean;
  readonly #stop: AbortSignal;
  #isLooking = false;

  constructor({ maxConnections, sharesDatabase, stop, load = new Load() }: WatchingOptions) {
    const experiments = new WatchedMarks();
    const openings = new WatchedMarks();
    const states = new GatheredStates(experiments, openings);
    this.#common = { experiments, openings, states, turns: new Turns(), load };
    this.#requests = new FairShares(Math.min(waitsMax, Math.floor(maxConnections / 2)));
    this.#sharesDatabase = sharesDatabase;
    this.#stop = stop;
    stop.addEventListener("abort", () => {
      for (const wait of this.#waits) wait.end();
    });
  }

  /** Whether the service stops: no request may wait any longer. */
  get isStopped(): boolean {
    return this.#stop.aborted;
  }

  get waiting(): number {
    return this.#waits.size;
  }

  /**
   * Begins a wait, which lasts until it is disposed; `overloaded` when the organization has too
   * many.
   */
  begin(storage: Reads, question: Question): Wait {
    const { holder, seen } = question;
    const request = this.#requests.take(holder);
    const watched = this.#watched.take(holder, seen.length);
    const release = (): void => {
      request?.[Symbol.dispose]();
      watched?.[Symbol.dispose]();
    };
    if (request === undefined || watched === undefined) {
      release();
      throw new ServiceError(
        "overloaded",
        "Too many requests of the organization wait for changes; try again.",
      );
    }
    const wait = new Wait(this.#common, storage, question, () => {
      this.#waits.delete(wait);
      release();
    });
    this.#waits.add(wait);
    if (this.#stop.aborted) wait.end();
    if (this.#sharesDatabase && !this.#isLooking) {
      this.#isLooking = true;
      this.#lookLater(storage);
    }
    return wait;
  }

  /** Wakes the requests that wait for the acknowledged writes. */
  noteAcknowledged(writes: readonly Write[], outcomes: readonly Outcome[]): void {
    if (this.#waits.size === 0) return;
    const { experiments, openings } = this.#common;
    for (const [at, write] of writes.entries()) {
      const outcome = outcomes[at];
      if (write.kind === "metrics") {
        if (outcome.kind === "metrics" && outcome.results.includes(PointResult.stored))
          experiments.wake(write.experimentId);
      } else if (outcome.kind === "value") {
        const { experimentId, experimentIds = [] } = (outcome.value ?? {}) as Changed;
        if (experimentId !== undefined) experiments.wake(experimentId);
        for (const id of experimentIds) experiments.wake(id);
        if (changesTheirNumber.has(write.name))
          openings.wake((write.input as { organizationId: string }).organizationId);
      }
    }
  }

  #lookLater(storage: Reads): void {
    setTimeout(() => void this.#look(storage), lookEveryMs).unref();
  }

  async #look(storage: Reads): Promise<void> {
    const { experiments, openings } = this.#common;
    const [experimentIds, organizationIds] = [experiments.ids, openings.ids];
    const idsMax = Math.max(experimentIds.length, organizationIds.length);
    try {
      for (let start = 0; start < idsMax; start += idsPerReadMax) {
        const end = start + idsPerReadMax;
        const { revisions, opened } = await storage.read("views.marks", {
          experimentIds: experimentIds.slice(start, end),
          organizationIds: organizationIds.slice(start, end),
        });
        for (const mark of revisions) experiments.see(mark);
        for (const mark of opened) openings.see(mark);
      }
    } catch {
      // A failure here is reported to the next request, which reads, too.
    }
    this.#isLooking = this.#waits.size > 0;
    if (this.#isLooking) this.#lookLater(storage);
  }
}
