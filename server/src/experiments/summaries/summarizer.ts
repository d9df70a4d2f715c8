import { setTimeout } from "node:timers/promises";
import type { SegmentBucket } from "../../buckets/bucket.ts";
import type { Database, Reader } from "../../database/database.ts";
import { readOwing } from "../../database/errands.ts";
import type { LogRecord } from "../../points/log-record.ts";
import { Snapshots } from "../../points/snapshots.ts";
import { type enter, entryText, findEntries, numberEntries } from "./dictionary.ts";
import {
  type beginRecount,
  type FoldEnd,
  type foldSummaries,
  type Progress,
  readProgress,
} from "./fold.ts";
import { type Metric, Metrics } from "./metrics.ts";
import { GatheredFolds } from "./gathered-folds.ts";
import type { Pace } from "../../ground/pace.ts";
import { reachOf } from "./reach.ts";
import type { Summary } from "./summary.ts";
import { readSummaries, type SummaryRow } from "./summary-rows.ts";
import { countLog, Tally } from "./tally.ts";

/** The operations of summaries, as the background work can call them: through the writer. */
interface SummaryOperations {
  "summaries.enter": typeof enter;
  "summaries.fold": typeof foldSummaries;
  "summaries.recount": typeof beginRecount;
}

export interface SummaryTools {
  database: Database;
  bucket: SegmentBucket;
  pace: Pace;
  /** Rows of one transaction. */
  rowsPerWrite: number;
  write<Name extends keyof SummaryOperations>(
    name: Name,
    input: Parameters<SummaryOperations[Name]>[1],
  ): Promise<Awaited<ReturnType<SummaryOperations[Name]>>>;
}

/** Decoded log records, those behind `from` without a gap. */
export interface DecodedRecords {
  from: number;
  records: readonly LogRecord[];
}

/** A fold. One of points being sealed is urgent; any other can be stopped. */
type Folding =
  | { decoded: DecodedRecords; stopped?: undefined }
  | { decoded?: undefined; stopped: AbortSignal };

/**
 * State that the next fold of an experiment need not read again, while the database is the same.
 */
interface KeptExperiment {
  incarnation: string;
  version: number;
  metrics: Metrics;
  /** Summaries by metric, each of exactly the points up to `foldedSeq`; some may be missing. */
  foldedSeq: number;
  summaries: Map<number, Summary>;
}

const metricsPerRead = 500;
/** Maximal bytes of kept states: a partition takes some 300 bytes, a summary 400. */
const keptBytesMax = 20_000_000;
const partitionBytes = 300;
const summaryBytes = 400;
/** Working time after which a recount rests for as long. */
const restsAfterMs = 10;

/**
 * Keeps the summaries of experiments. A summary holds exactly the points of the log up to its
 * `folded_seq`, never part of a record. An experiment is in one of three states.
 *
 * UNCOUNTED (`counted` is 0): it has points from before summaries existed, or the log behind its
 * summaries is gone. `recount` reads all its points, from segments and log, and leaves it CURRENT.
 * Folds do nothing until then.
 *
 * BEHIND (`folded_seq` is below `log_seq`): `fold` reads the records in between, adds them to the
 * summaries and writes those that changed, some rows a transaction. Rows carry the `folded_seq`
 * they hold; the experiment's own moves with the last of them. A fold that is cut off leaves rows
 * that are ahead of it: the next fold finishes them first. Sealing folds what it seals
 * (`foldSealed`), so that no record leaves the log unfolded.
 *
 * CURRENT: nothing to do until the log grows.
 *
 * Two nodes may fold the same experiment at once. Each write names the progress it began from; the
 * second one finds another progress, and begins anew.
 */
export class Summarizer {
  readonly figures = { folds: 0, summary_rows: 0, recounts: 0 };
  readonly #tools: SummaryTools;
  /** The least recently folded experiment first. */
  readonly #kept = new Map<string, KeptExperiment>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #recounting = new Set<string>();
  readonly #folds: GatheredFolds;

  constructor(tools: SummaryTools) {
    this.#tools = tools;
    const write = (input: Parameters<typeof foldSummaries>[1]) =>
      tools.write("summaries.fold", input);
    this.#folds = new GatheredFolds(write, tools.rowsPerWrite);
  }

  /** Brings an experiment's summaries to the end of its log, where its points are counted. */
  fold(experimentId: string, stopped: AbortSignal): Promise<void> {
    return this.#inTurn(experimentId, () => this.#fold(experimentId, { stopped }));
  }

  /**
   * Folds points that are being sealed, ahead of all others. While another fold of the experiment
   * runs, which may wait for long, it does nothing: the log keeps unfolded points.
   */
  async foldSealed(experimentId: string, decoded: DecodedRecords): Promise<void> {
    if (this.#turns.has(experimentId)) return;
    await this.#inTurn(experimentId, () => this.#fold(experimentId, { decoded }));
  }

  /** Whether the experiment is being counted: its log must not be trimmed meanwhile. */
  isRecounting(experimentId: string): boolean {
    return this.#recounting.has(experimentId);
  }

  /**
   * Counts all points of an experiment, unless they are counted, or its worker has yet to follow
   * the directory.
   */
  async recount(experimentId: string, stopped: AbortSignal): Promise<void> {
    this.#recounting.add(experimentId);
    try {
      await this.#inTurn(experimentId, () => this.#recount(experimentId, stopped));
    } finally {
      this.#recounting.delete(experimentId);
    }
  }

  async #inTurn(experimentId: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(experimentId) ?? Promise.resolve())
      .catch(() => undefined)
      .then(work);
    this.#turns.set(experimentId, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(experimentId) === turn) this.#turns.delete(experimentId);
    }
  }

  async #fold(experimentId: string, how: Folding): Promise<void> {
    while (await this.#foldSome(experimentId, how));
  }

  /**
   * Folds a part of the log. Returns true when it finished an interrupted fold and there is more to
   * fold.
   */
  async #foldSome(experimentId: string, { decoded, stopped }: Folding): Promise<boolean> {
    const atMs = Date.now();
    const { progress, kept } = await this.#tools.database.read((reader) =>
      this.#read(reader, experimentId),
    );
    if (progress === undefined || progress.counted === 0) return false;
    const { metrics } = kept;
    const from = progress.foldedSeq;
    const wanted = decoded === undefined ? progress.logSeq : decoded.from + decoded.records.length;
    for (let to = wanted; to > from;) {
      const points = progress.points - progress.foldedPoints;
      const tally = await this.#tallied(experimentId, metrics, { from, to, points, decoded });
      if (tally === undefined) {
        await this.#tools.write("summaries.recount", { experimentId, foldedSeq: from });
        return false;
      }
      const known = takeSummaries(kept, from);
      const rows = await this.#merged(experimentId, progress, { tally, known }, to);
      if (typeof rows !== "number") {
        const foldedPoints = progress.foldedPoints + tally.points;
        const end = { foldedSeq: to, foldedPoints, ...reachOf(tally, progress), atMs };
        const written = { progress, metrics, tally, rows, end, stopped };
        if (!(await this.#write(experimentId, written))) return false;
        for (const { metric, summary } of rows) known.set(metric, summary);
        kept.foldedSeq = to;
        kept.summaries = known;
        return to < wanted;
      }
      to = rows;
    }
    return false;
  }

  async #tallied(
    experimentId: string,
    metrics: Metrics,
    {
      decoded,
      ...range
    }: { from: number; to: number; points: number; decoded: DecodedRecords | undefined },
  ): Promise<Tally | undefined> {
    const tally = new Tally(metrics);
    const { from, to } = range;
    if (decoded === undefined || decoded.from > from) {
      const read = <Result>(work: (reader: Reader) => Promise<Result>) =>
        this.#tools.database.read(work);
      return (await countLog(read, experimentId, tally, range)) ? tally : undefined;
    }
    for (const record of decoded.records.slice(from - decoded.from, to - decoded.from)) {
      tally.addRecord(record);
    }
    return tally;
  }

  async #recount(experimentId: string, stopped: AbortSignal): Promise<void> {
    const atMs = Date.now();
    const found = await this.#tools.database.read(async (reader) => {
      // As of before the worker is read: which series are deleted may still be another there.
      if (reader.hasWorkers && (await readOwing(reader, [experimentId])).length > 0) return;
      const state = await this.#read(reader, experimentId, await reader.at(experimentId));
      const { partitions } = state.kept.metrics;
      const all = Array.from({ length: partitions }, (_, partition) => partition);
      const snapshots = new Snapshots(this.#tools.bucket, 0);
      return { ...state, snapshot: await snapshots.take(reader, experimentId, all) };
    });
    if (found?.progress === undefined || found.progress.counted === 1) return;
    const { progress, kept, snapshot } = found;
    const { metrics } = kept;
    // Whatever was wrong is made anew.
    kept.summaries.clear();
    const tally = new Tally(metrics);
    let workedSinceMs = performance.now();
    const rest = async () => {
      stopped.throwIfAborted();
      const workedMs = performance.now() - workedSinceMs;
      if (workedMs < restsAfterMs) return;
      await setTimeout(workedMs);
      workedSinceMs = performance.now();
    };
    for (let partition = 0; partition < metrics.partitions; partition++) {
      await tally.addPartition(partition, snapshot, rest);
    }
    const { organizationId, logSeq: foldedSeq, points } = progress;
    const ids = await this.#numbered(organizationId, [...tally.summaries.keys()]);
    const rows = [...tally.summaries].map(([metric, summary]) => {
      return { metric: ids.get(metric)!, foldedSeq, summary };
    });
    const end = { foldedSeq, foldedPoints: points, ...reachOf(tally), atMs };
    await this.#write(experimentId, { progress, metrics, tally, rows, end, stopped });
    this.figures.recounts++;
  }

  /**
   * Merges the tally's points with the stored summaries. A number: some were written by an
   * unfinished fold up to it, which has to be repeated first.
   */
  async #merged(
    experimentId: string,
    { organizationId, foldedSeq: from }: Progress,
    { tally: { summaries }, known }: { tally: Tally; known: ReadonlyMap<number, Summary> },
    to: number,
  ): Promise<SummaryRow[] | number> {
    const ids = await this.#numbered(organizationId, [...summaries.keys()]);
    const stored = new Map<number, SummaryRow>();
    for (const [metric, summary] of known) stored.set(metric, { metric, foldedSeq: from, summary });
    const unknown = [...ids.values()].filter((id) => !known.has(id));
    for (const row of await this.#stored(experimentId, unknown)) stored.set(row.metric, row);
    const ahead = [...stored.values()].filter(({ foldedSeq }) => foldedSeq > from);
    const restart = ahead.reduce((least, { foldedSeq }) => Math.min(least, foldedSeq), to);
    if (restart < to) return restart;
    const rows: SummaryRow[] = [];
    for (const [metric, summary] of summaries) {
      if (metric.isDropped) continue;
      const id = ids.get(metric)!;
      const before = stored.get(id);
      if (before !== undefined && before.foldedSeq >= to) continue;
      before?.summary.merge(summary);
      rows.push({ metric: id, foldedSeq: to, summary: before?.summary ?? summary });
    }
    return rows;
  }

  async #stored(experimentId: string, ids: readonly number[]): Promise<SummaryRow[]> {
    const found: SummaryRow[] = [];
    if (ids.length === 0) return found;
    for (const part of parts(ids, metricsPerRead)) {
      const rows = await this.#tools.database.read((reader) =>
        readSummaries(reader, experimentId, part),
      );
      found.push(...rows);
    }
    return found;
  }

  /** Writes a fold; false when another node was faster, or a series was deleted. */
  async #write(
    experimentId: string,
    written: {
      progress: Progress;
      metrics: Metrics;
      tally: Tally;
      rows: SummaryRow[];
      end: FoldEnd;
      /** Undefined: it is urgent. */
      stopped: AbortSignal | undefined;
    },
  ): Promise<boolean> {
    const { progress, metrics, tally, rows, end, stopped } = written;
    const { pace } = this.#tools;
    const { counted, foldedSeq, metricsVersion } = progress;
    const touched = [...tally.summaries.keys()];
    const dropped = await this.#dropped(experimentId, progress.organizationId, metrics, touched);
    const batches = parts(rows, this.#tools.rowsPerWrite);
    for (const [at, batch] of batches.entries()) {
      if (stopped === undefined) pace.spend(batch.length);
      else await pace.take(batch.length, stopped);
      const isLast = at === batches.length - 1;
      const { folded } = await this.#folds.write({
        experimentId,
        from: { counted, foldedSeq, metricsVersion },
        rows: batch,
        dropped: isLast ? dropped : [],
        ...(isLast && { end }),
      });
      if (!folded) return false;
      this.figures.summary_rows += batch.length;
    }
    for (const metric of touched) metrics.forgetDropped(metric);
    this.figures.folds++;
    return true;
  }

  /** Returns the metrics that have a summary and must not have one any more. */
  async #dropped(
    experimentId: string,
    organizationId: string,
    metrics: Metrics,
    touched: readonly Metric[],
  ): Promise<number[]> {
    const dropped = touched.flatMap((metric) => metrics.droppedOf(metric));
    if (dropped.length === 0) return [];
    const entries = dropped.map(({ name, meta }) => [name, meta]);
    const wanted = { dictionary: "metric_name", organizationId, entries } as const;
    const ids = await this.#tools.database.read((reader) => findEntries(reader, wanted));
    return (await this.#stored(experimentId, [...ids.values()])).map(({ metric }) => metric);
  }

  /** Returns the metrics' numbers in the dictionary, adding missing ones. */
  async #numbered(
    organizationId: string,
    metrics: readonly Metric[],
  ): Promise<ReadonlyMap<Metric, number>> {
    const unknown = metrics.filter(({ id }) => id === undefined);
    if (unknown.length > 0) {
      const entries = unknown.map(({ name, meta }) => [name, meta]);
      const wanted = { dictionary: "metric_name", organizationId, entries } as const;
      const found = await numberEntries(this.#tools, wanted);
      for (const one of unknown) one.id = found.get(entryText([one.name, one.meta]))!;
    }
    return new Map(metrics.map((metric) => [metric, metric.id!]));
  }

  /** Reads as the directory knows it, or as of now where the points are. */
  async #read(reader: Reader, experimentId: string, own = reader) {
    const progress = await readProgress(reader, experimentId, own);
    const kept = this.#keptOf(reader, experimentId, progress?.metricsVersion ?? 0);
    await kept.metrics.catchUp(own);
    return { progress, kept };
  }

  #keptOf({ incarnation }: Reader, experimentId: string, version: number): KeptExperiment {
    const known = this.#kept.get(experimentId);
    // After a failover, numbers of the dictionary may have other meanings, or none.
    const isSame = known?.incarnation === incarnation && known.version === version;
    const kept = isSame ? known : nothingKept(experimentId, { incarnation, version });
    this.#kept.delete(experimentId);
    this.#kept.set(experimentId, kept);
    this.#evict(experimentId);
    return kept;
  }

  #evict(used: string): void {
    const sizeOf = ({ metrics, summaries }: KeptExperiment) =>
      (16 + metrics.partitions) * partitionBytes + summaries.size * summaryBytes;
    let bytes = 0;
    for (const one of this.#kept.values()) bytes += sizeOf(one);
    for (const [id, one] of this.#kept) {
      if (bytes <= keptBytesMax || id === used) return;
      bytes -= sizeOf(one);
      this.#kept.delete(id);
    }
  }
}

function nothingKept(
  experimentId: string,
  of: Pick<KeptExperiment, "incarnation" | "version">,
): KeptExperiment {
  return { ...of, metrics: new Metrics(experimentId), foldedSeq: 0, summaries: new Map() };
}

/**
 * Takes the kept summaries of the points up to `seq`. They are changed now: only a fold that was
 * written puts them back.
 */
function takeSummaries(kept: KeptExperiment, seq: number): Map<number, Summary> {
  const summaries = kept.foldedSeq === seq ? kept.summaries : new Map<number, Summary>();
  kept.summaries = new Map();
  return summaries;
}

/** Splits items into parts, at least one, which may be empty. */
function parts<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.max(1, Math.ceil(items.length / size)) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
