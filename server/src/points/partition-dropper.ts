import { randomUUID } from "node:crypto";
import type { Reader } from "../database/database.ts";
import type { dropPoints } from "./drop-points.ts";
import { pointsKey } from "./filenames.ts";
import type { SegmentRow } from "./manifest.ts";
import { mergedPoints } from "./merge.ts";
import type { EngineTools } from "./seal.ts";
import { readSegmentIndex, type SegmentIndex } from "./segment.ts";
import { StagedObjects } from "./staged-objects.ts";

export interface DroppingTools extends Pick<EngineTools, "database" | "bucket"> {
  write(
    name: "points.drop",
    input: Parameters<typeof dropPoints>[1],
  ): ReturnType<typeof dropPoints>;
  /** Seals the log, if that may be done now. */
  seal(experimentId: string): Promise<void>;
  /** Asks for its summaries, and does not wait for them, which may take minutes. */
  foldSoon(experimentId: string): void;
}

/** Partitions that are being purged. */
export interface Dropped {
  experimentId: string;
  partitions: number[];
  /** The log row after which the log has no point of the partitions. */
  fence: number;
  /** Their entries of the trash: where the points are on a worker, it says which they are. */
  trash: string[];
}

/**
 * Result of a step: a segment was rewritten; or a precondition is missing, and it is tried later;
 * or no segment has a point of the partitions, as of this state of the manifest.
 */
export type DropStep = "rewritten" | "waiting" | { manifestSeq: number };

/**
 * Drops the points of partitions from an experiment's segments, one segment a step. After an
 * interruption, the next step looks for the remaining ones again.
 */
export class PartitionDropper {
  readonly #tools: DroppingTools;

  constructor(tools: DroppingTools) {
    this.#tools = tools;
  }

  async step(series: Dropped): Promise<DropStep> {
    const { experimentId } = series;
    let state = await this.#read(series);
    if (state !== undefined && !isSealed(state)) {
      await this.#tools.seal(experimentId);
      state = await this.#read(series);
    }
    if (state === undefined || !isSealed(state)) return "waiting";
    // Summaries must not later count points that are dropped now.
    if (!isFolded(state)) {
      this.#tools.foldSoon(experimentId);
      return "waiting";
    }
    const numbers = new Set(state.partitions);
    for (const segment of state.segments) {
      const index = await readSegmentIndex(this.#tools.bucket, segment.key);
      const dropped = countsOf(index, numbers);
      if (dropped.length === 0) continue;
      const isLeft = index.partition.some((partition) => !numbers.has(partition));
      return (await this.#rewrite(experimentId, segment, { numbers, dropped, isLeft }))
        ? "rewritten"
        : "waiting";
    }
    return { manifestSeq: state.manifest_seq };
  }

  /** Rewrites a segment; false when another node has merged it meanwhile. */
  async #rewrite(
    experimentId: string,
    { key: replaced, seq_from: seqFrom, seq_to: seqTo, points }: Segment,
    how: { numbers: ReadonlySet<number>; dropped: [number, number][]; isLeft: boolean },
  ): Promise<boolean> {
    const { bucket } = this.#tools;
    const staged = new StagedObjects(bucket);
    const { numbers, dropped, isLeft } = how;
    let segment: SegmentRow | undefined;
    if (isLeft) {
      const key = pointsKey(experimentId, randomUUID());
      const parts = await mergedPoints(bucket, [replaced], numbers);
      await staged.put(key, parts);
      const left = points - dropped.reduce((sum, [, count]) => sum + count, 0);
      const bytes = parts.reduce((sum, { length }) => sum + length, 0);
      segment = { kind: "points", key, seqFrom, seqTo, points: left, bytes };
    }
    return staged.publish(() =>
      this.#tools.write("points.drop", { experimentId, replaced, segment, dropped }),
    );
  }

  #read({ experimentId, trash, ...given }: Dropped): Promise<State | undefined> {
    return this.#tools.database.read(async (reader) => {
      const head = await reader.get<Omit<State, "segments" | "partitions" | "fence">>(
        `SELECT log_seq, seal_seq, manifest_seq, counted, folded_seq
         FROM head JOIN summarized ON summarized.experiment = head.experiment
         WHERE head.experiment = $1`,
        experimentId,
      );
      if (head === undefined) return undefined;
      const own = await reader.at(experimentId);
      const present = own === reader ? {} : await readPresent(own, experimentId, trash);
      return { ...head, ...given, ...present, segments: await readSegments(own, experimentId) };
    });
  }
}

interface State {
  log_seq: number;
  seal_seq: number;
  manifest_seq: number;
  counted: number;
  folded_seq: number;
  partitions: number[];
  fence: number;
  segments: Segment[];
}

interface Segment {
  key: string;
  seq_from: number;
  seq_to: number;
  points: number;
}

/** Reads what the directory may not have been told yet. */
async function readPresent(
  own: Reader,
  experimentId: string,
  trash: readonly string[],
): Promise<Partial<State>> {
  const head = await own.get<Partial<State>>(
    "SELECT log_seq, seal_seq, manifest_seq FROM head WHERE experiment = $1",
    experimentId,
  );
  const rows = await own.all<{ partition: number; fence: number }>(
    `SELECT partition, fence FROM dropped_series
     WHERE experiment = $1 AND ${own.isOneOf("trash", "$2")}`,
    experimentId,
    JSON.stringify(trash),
  );
  const fence = rows.reduce((most, one) => Math.max(most, one.fence), 0);
  return { ...head, partitions: rows.map(({ partition }) => partition), fence };
}

function readSegments(reader: Reader, experimentId: string): Promise<Segment[]> {
  return reader.all<Segment>(
    `SELECT key, seq_from, seq_to, points FROM segment
     WHERE experiment = $1 AND kind = 'points' ORDER BY seq_from`,
    experimentId,
  );
}

function isSealed({ log_seq: logSeq, seal_seq: sealSeq, fence }: State): boolean {
  return sealSeq >= Math.min(fence, logSeq);
}

/**
 * Whether the summaries include the fence. Uncounted experiments are counted in full later, from
 * the points left then.
 */
function isFolded({ counted, folded_seq: foldedSeq, log_seq: logSeq, fence }: State): boolean {
  return counted === 0 || foldedSeq >= Math.min(fence, logSeq);
}

/** Returns the number of points in a segment for each of these partitions that it has. */
function countsOf(index: SegmentIndex, numbers: ReadonlySet<number>): [number, number][] {
  const counts = new Map<number, number>();
  for (const [at, partition] of index.partition.entries()) {
    if (!numbers.has(partition)) continue;
    counts.set(partition, (counts.get(partition) ?? 0) + index.count[at]);
  }
  return [...counts];
}
