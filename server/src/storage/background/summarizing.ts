import type { Database, Reader } from "../../database/database.ts";
import { andAnswers, type AwayWorkers } from "../../database/workers/away-workers.ts";
import { FairShares } from "../../ground/fair-shares.ts";
import { inParallel } from "../../ground/in-parallel.ts";
import { Slots } from "../../ground/slots.ts";
import { BackOff } from "./back-off.ts";
import { isFatal, type Task } from "./runner.ts";
import { isOurs, type Slices } from "./slices.ts";

export interface SummarizingParts {
  database: Database;
  summarizer: {
    fold(experimentId: string, stopped: AbortSignal): Promise<void>;
    recount(experimentId: string, stopped: AbortSignal): Promise<void>;
  };
  /** Reads the times of all points where migration 033 has taken them from some. */
  widenReach(experimentId: string): Promise<void>;
  /** Deletes log rows that were kept for the summaries alone. */
  trim(experimentId: string): Promise<void>;
  indexMetas(experimentIds: readonly string[], stopped: AbortSignal): Promise<void>;
  /** Looks through some versions from before for the experiments that wrote them. */
  noteVersions(): Promise<{ more: boolean }>;
  slices: Slices | undefined;
  away: AwayWorkers | undefined;
  warn(message: string, error: unknown): void;
}

const lookEveryMs = 1_000;
/** Interval at which a changing experiment is folded. */
const foldEveryMs = 5_000;
/** Interval of looking for sealed experiments whose summaries are behind. */
const lookEverywhereEveryMs = 60_000;
/**
 * Experiments folded at once, half of them of one organization: their writes make one group, and
 * summaries of one metric are adjacent.
 */
const atOnce = 32;
/** Experiments whose metas are read and written together: 64 KiB each at most. */
const together = 100;
/** Time after which a round of recounting begins no more: the lease is renewed between rounds. */
const recountingMs = 2_000;
/** Experiments of one round; the others are looked for again. */
const perRound = 1_000;

interface DueFold {
  experiment: string;
  organization: string;
  folded_seq: number;
  seal_seq: number;
}

/**
 * Folds new points into summaries, for each organization the least recently folded experiment
 * first. A fold of very many series takes minutes at the pace of all: no round waits for it, and
 * the places are shared between organizations.
 */
export class SummaryFolding implements Task {
  readonly failure = "Looking for experiments to summarize failed.";
  readonly everyMs = lookEveryMs;
  readonly lease: Slices | undefined;
  readonly each: EachExperiment;
  /** A fold may end after its round. */
  readonly figures = { begun_folds: 0 };
  readonly #parts: SummarizingParts;
  /** Places of experiments until they are folded; one organization has at most half. */
  readonly #places = new FairShares(2 * perRound);
  readonly #slots = new Slots(new FairShares(atOnce));
  readonly #inWork = new Map<string, Promise<void>>();
  /** Experiments to fold in the next round, however lately they were folded, sealed or not. */
  readonly #wanted = new Set<string>();
  /** Error that stops storage. */
  #fatal: { error: unknown } | undefined;
  #lookedEverywhereAtMs = -Infinity;

  constructor(parts: SummarizingParts) {
    this.#parts = parts;
    this.lease = parts.slices;
    this.each = new EachExperiment("summarized", parts);
  }

  /** Requests a fold for which a caller waits. */
  foldSoon(experimentId: string): void {
    this.#wanted.add(experimentId);
  }

  /** The nodes that have the experiments look for them. */
  idle(): void {
    this.#wanted.clear();
  }

  async round(stopped: AbortSignal): Promise<void> {
    if (this.#fatal !== undefined) throw this.#fatal.error;
    for (const row of await this.#lookAtWanted()) this.#begin(row, stopped);
    const everywhere = performance.now() - this.#lookedEverywhereAtMs >= lookEverywhereEveryMs;
    const due = await this.#look(everywhere);
    if (everywhere && due.length < perRound) this.#lookedEverywhereAtMs = performance.now();
    for (const row of due) this.#begin(row, stopped);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#inWork.values());
  }

  /** Begins a fold, unless the organization has so many in work that the others go first. */
  #begin(row: DueFold, stopped: AbortSignal): void {
    const place = this.#places.take(row.organization);
    if (place === undefined) return;
    this.figures.begun_folds++;
    const fold = () => this.each.run(stopped, [row], () => this.#fold(row, stopped));
    const work = this.#slots
      .in(row.organization, fold, stopped)
      .catch((error: unknown) => {
        if (!stopped.aborted) this.#fatal = { error };
      })
      .finally(() => {
        place[Symbol.dispose]();
        this.#inWork.delete(row.experiment);
      });
    this.#inWork.set(
      row.experiment,
      work.then(() => undefined),
    );
  }

  async #fold(row: DueFold, stopped: AbortSignal): Promise<void> {
    await this.#parts.summarizer.fold(row.experiment, stopped);
    if (row.folded_seq < row.seal_seq) await this.#parts.trim(row.experiment);
  }

  async #lookAtWanted(): Promise<DueFold[]> {
    // A fold in work may have begun before the caller's points: it is followed by another.
    const ids = [...this.#wanted].filter((id) => !this.#inWork.has(id));
    if (ids.length === 0) return [];
    for (const id of ids) this.#wanted.delete(id);
    const wanted = JSON.stringify(ids);
    return this.#behind((reader) => reader.isOneOf("head.experiment", "$2"), wanted);
  }

  #look(everywhere: boolean): Promise<DueFold[]> {
    const nowMs = Date.now();
    const unsealed = everywhere ? "" : "head.points > head.sealed_points AND";
    // A time ahead of the clock was written before that was set back.
    const isDue = "(folded_seq = 0 OR folded_at_ms <= $2 OR folded_at_ms > $3)";
    const ours = isOurs(this.lease, "head.experiment");
    return this.#behind(() => `${unsealed} ${ours} AND ${isDue}`, nowMs - foldEveryMs, nowMs);
  }

  get #answers(): string {
    return andAnswers(this.#parts.away, "experiment.server");
  }

  /** Lists experiments whose summaries are behind, except those that just failed or are in work. */
  #behind(
    condition: (reader: Reader) => string,
    ...values: (string | number)[]
  ): Promise<DueFold[]> {
    return this.#parts.database.read((reader) =>
      reader.all<DueFold>(
        `SELECT head.experiment, experiment.organization, folded_seq, seal_seq
         FROM head JOIN summarized ON summarized.experiment = head.experiment
           JOIN experiment ON experiment.id = head.experiment
         WHERE ${condition(reader)} AND counted = 1 AND folded_seq < log_seq
           AND NOT (${reader.isOneOf("head.experiment", "$1")})${this.#answers}
         ORDER BY row_number() OVER (PARTITION BY organization ORDER BY folded_at_ms), folded_at_ms
         LIMIT ${perRound}`,
        JSON.stringify([...this.each.resting, ...this.#inWork.keys()]),
        ...values,
      ),
    );
  }
}

/** Indexes metas that are new or have changed, of each organization the newest first. */
export class MetaIndexing implements Task {
  readonly failure = "Looking for metas to index failed.";
  readonly everyMs = lookEveryMs;
  readonly lease: Slices | undefined;
  readonly each: EachExperiment;
  readonly #parts: SummarizingParts;

  constructor(parts: SummarizingParts) {
    this.#parts = parts;
    this.lease = parts.slices;
    this.each = new EachExperiment("indexed by its meta", parts);
  }

  get figures() {
    return { indexed_metas: this.each.successes };
  }

  async round(stopped: AbortSignal): Promise<boolean> {
    const due = await this.#parts.database.read((reader) =>
      reader.all<{ experiment: string }>(
        `SELECT experiment FROM summarized JOIN experiment ON experiment.id = summarized.experiment
         WHERE indexed_version < meta_version AND ${isOurs(this.lease, "summarized.experiment")}
           AND NOT (${reader.isOneOf("summarized.experiment", "$1")})
         ORDER BY row_number() OVER (PARTITION BY organization ORDER BY summarized.experiment DESC),
           summarized.experiment DESC
         LIMIT ${perRound}`,
        JSON.stringify(this.each.resting),
      ),
    );
    const begun = await this.each.runTogether(stopped, due, (experimentIds) =>
      this.#parts.indexMetas(experimentIds, stopped),
    );
    return begun > 0 && due.length === perRound;
  }
}

/** Counts experiments of which no point is counted, the newest first, one after another. */
export class Recounting implements Task {
  readonly failure = "Looking for experiments to count failed.";
  readonly everyMs = 10_000;
  readonly firstMs = lookEveryMs;
  readonly lease: Slices | undefined;
  readonly each: EachExperiment;
  readonly #eachReach: EachExperiment;
  readonly #parts: SummarizingParts;
  #moreVersions = true;
  #moreReaches = true;

  constructor(parts: SummarizingParts) {
    this.#parts = parts;
    this.lease = parts.slices;
    this.each = new EachExperiment("counted", parts);
    this.#eachReach = new EachExperiment("searched for its first and last point", parts);
  }

  get figures() {
    return { recounts: this.each.successes };
  }

  async round(stopped: AbortSignal): Promise<boolean> {
    const endMs = performance.now() + recountingMs;
    const hasNoted = await this.#noteVersions(stopped);
    const due = await this.#parts.database.read((reader) =>
      reader.all<{ experiment: string }>(
        `SELECT experiment FROM summarized WHERE counted = 0 AND ${isOurs(this.lease, "experiment")}
           ${reader.hasWorkers ? "AND experiment NOT IN (SELECT experiment FROM errand)" : ""}
           AND NOT (${reader.isOneOf("experiment", "$1")})${this.#answers}
         ORDER BY experiment DESC LIMIT ${perRound}`,
        JSON.stringify(this.each.resting),
      ),
    );
    let begun = 0;
    for (const row of due) {
      if (performance.now() >= endMs) break;
      begun += await this.each.run(stopped, [row], ({ experiment }) =>
        this.#parts.summarizer.recount(experiment, stopped),
      );
    }
    if (begun < due.length) return begun > 0 || (hasNoted && this.#moreVersions);
    const widened = await this.#widen(stopped, endMs);
    return begun + widened > 0 || (hasNoted && this.#moreVersions);
  }

  /** Returns for how many experiments it was begun. No more are added once all are whole. */
  async #widen(stopped: AbortSignal, endMs: number): Promise<number> {
    if (!this.#moreReaches) return 0;
    const due = await this.#parts.database.read((reader) =>
      reader.all<{ experiment: string }>(
        `SELECT experiment FROM summarized JOIN head USING (experiment)
         WHERE reach_whole = 0 AND counted = 1 AND folded_seq = log_seq
           AND ${isOurs(this.lease, "experiment")}
           AND NOT (${reader.isOneOf("experiment", "$1")})${this.#answers}
         ORDER BY experiment DESC LIMIT ${perRound}`,
        JSON.stringify(this.#eachReach.resting),
      ),
    );
    let begun = 0;
    for (let at = 0; at < due.length && performance.now() < endMs; at += atOnce)
      begun += await this.#eachReach.run(stopped, due.slice(at, at + atOnce), ({ experiment }) =>
        this.#parts.widenReach(experiment),
      );
    if (due.length === 0) this.#moreReaches = await this.#hasNarrow();
    return begun;
  }

  get #answers(): string {
    const server = "(SELECT server FROM experiment WHERE id = summarized.experiment)";
    return andAnswers(this.#parts.away, server);
  }

  async #hasNarrow(): Promise<boolean> {
    const row = await this.#parts.database.read((reader) =>
      reader.get("SELECT experiment FROM summarized WHERE reach_whole = 0 LIMIT 1"),
    );
    return row !== undefined;
  }

  /**
   * Returns false when nothing was looked through, which must not prevent experiments from being
   * counted.
   */
  async #noteVersions(stopped: AbortSignal): Promise<boolean> {
    // The versions are no experiments: one node looks through them.
    if (!this.#moreVersions || this.lease?.has("0") === false) return false;
    try {
      this.#moreVersions = (await this.#parts.noteVersions()).more;
      return true;
    } catch (error) {
      if (stopped.aborted) return false;
      if (isFatal(error)) throw error;
      this.each.failures++;
      const what = "Versions from before cannot be looked through for their experiments now";
      this.#parts.warn(`${what}; it is tried again later.`, error);
      return false;
    }
  }
}

/** Runs work on several experiments: a failure of one does not stop the others. */
class EachExperiment {
  successes = 0;
  failures = 0;
  readonly #backOff = new BackOff();
  readonly #what: string;
  readonly #parts: Pick<SummarizingParts, "warn">;

  constructor(what: string, parts: Pick<SummarizingParts, "warn">) {
    this.#what = what;
    this.#parts = parts;
  }

  /** Experiments that just failed; they take no place. */
  get resting(): string[] {
    return this.#backOff.resting;
  }

  /** Resolves with how many were begun: where it failed just now, it is not tried again yet. */
  async run<Row extends { experiment: string }>(
    stopped: AbortSignal,
    rows: readonly Row[],
    work: (row: Row) => Promise<void>,
  ): Promise<number> {
    let begun = 0;
    await inParallel(atOnce, rows, async (row) => {
      if (stopped.aborted || !this.#backOff.isDue(row.experiment)) return;
      begun++;
      try {
        await work(row);
        this.#succeeded(row);
      } catch (error) {
        this.#failed(row, stopped, error);
      }
    });
    return begun;
  }

  /** Runs work that takes several rows at once. If it fails, each is tried by itself. */
  async runTogether(
    stopped: AbortSignal,
    rows: readonly { experiment: string }[],
    work: (experimentIds: readonly string[]) => Promise<void>,
  ): Promise<number> {
    const due = rows.filter(({ experiment }) => this.#backOff.isDue(experiment));
    let begun = 0;
    for (let start = 0; start < due.length && !stopped.aborted; start += together) {
      const some = due.slice(start, start + together);
      begun += some.length;
      try {
        await work(some.map(({ experiment }) => experiment));
        for (const row of some) this.#succeeded(row);
      } catch {
        await this.run(stopped, some, ({ experiment }) => work([experiment]));
      }
    }
    return begun;
  }

  #succeeded({ experiment }: { experiment: string }): void {
    this.successes++;
    this.#backOff.succeeded(experiment);
  }

  /** Throws where storage cannot go on. */
  #failed({ experiment }: { experiment: string }, stopped: AbortSignal, error: unknown): void {
    if (stopped.aborted) return;
    if (isFatal(error)) throw error;
    this.failures++;
    this.#backOff.failed(experiment);
    const what = `Experiment ${experiment} cannot be ${this.#what} now`;
    this.#parts.warn(`${what}; it is tried again later.`, error);
  }
}
