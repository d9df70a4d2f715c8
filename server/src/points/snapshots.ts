import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import { inParallel } from "../ground/in-parallel.ts";
import { decodeChunk } from "./chunk.ts";
import { DrawnSources, type DrawnSource } from "./drawn-sources.ts";
import type { PointSource } from "./search.ts";
import { readSegmentIndex, type SegmentIndex } from "./segment.ts";
import { Tail, type Points } from "./tail.ts";

/** Segments of one experiment: each waits for a store some milliseconds. */
const openedAtOnce = 8;

/**
 * A reader's cache of experiments: sealed segments and the tail of the log. `take` asks the
 * database first, so a snapshot has every point acknowledged before, by any node.
 */
export class Snapshots {
  readonly #bucket: SegmentBucket;
  readonly #drawn: DrawnSources;
  readonly #cachedBytesMax: number;
  readonly #cached = new Map<string, CachedExperiment>();
  /** Takes of one experiment run in turn: two that append to one tail would double its points. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /**
   * `cachedBytesMax` bounds tails and segment indexes of experiments that were read; the least
   * recently read is evicted first. `drawn` holds the sources of charts.
   */
  constructor(
    bucket: SegmentBucket,
    cachedBytesMax: number,
    drawn = new DrawnSources(bucket, 0, 0),
  ) {
    this.#bucket = bucket;
    this.#drawn = drawn;
    this.#cachedBytesMax = cachedBytesMax;
  }

  /**
   * The points of some partitions of an experiment as of now; they stay as they are while writing,
   * sealing and merging go on.
   */
  async take(
    reader: Reader,
    experimentId: string,
    partitions: Iterable<number>,
  ): Promise<Snapshot> {
    const turn = (this.#turns.get(experimentId) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#takeInTurn(reader, experimentId, partitions));
    this.#turns.set(experimentId, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(experimentId) === turn) this.#turns.delete(experimentId);
    }
  }

  async #takeInTurn(
    directory: Reader,
    experimentId: string,
    partitions: Iterable<number>,
  ): Promise<Snapshot> {
    const reader = await directory.at(experimentId);
    const head = await reader.get<HeadRow>(
      `SELECT log_seq, seal_seq, manifest_seq, CASE WHEN EXISTS (
         SELECT 1 FROM dropped_series WHERE experiment = head.experiment AND is_out = 1
       ) THEN 1 ELSE 0 END AS has_dropped FROM head WHERE experiment = $1`,
      experimentId,
    );
    if (head === undefined) return new Snapshot(this.#bucket, [], new Tail(0), []);
    const found = this.#cached.get(experimentId);
    const { incarnation } = reader;
    // Another server may have other points at the same place of the log.
    const known = found?.incarnation === incarnation ? found : undefined;
    this.#cached.delete(experimentId);
    let { segments, tail, manifestSeq } = known ?? {
      segments: [],
      tail: undefined,
      manifestSeq: -1,
    };
    if (manifestSeq !== head.manifest_seq) {
      segments = await this.#readManifest(reader, experimentId, segments);
      manifestSeq = head.manifest_seq;
    }
    if (tail?.sealSeq !== head.seal_seq) tail = new Tail(head.seal_seq);
    await tail.catchUp(reader, experimentId, head.log_seq);
    this.#cached.set(experimentId, { incarnation, segments, tail, manifestSeq });
    this.#evict();
    const dropped = head.has_dropped === 1 ? await readDropped(reader, experimentId) : nothing;
    const moment = [incarnation, experimentId, manifestSeq, head.seal_seq].join(" ");
    const parts = { drawn: this.#drawn, dropped, moment };
    return new Snapshot(this.#bucket, segments, tail, partitions, parts);
  }

  async #readManifest(reader: Reader, experimentId: string, known: Segment[]): Promise<Segment[]> {
    const rows = await reader.all<{ key: string }>(
      "SELECT key FROM segment WHERE experiment = $1 AND kind = 'points' ORDER BY seq_from",
      experimentId,
    );
    const open = new Map(known.map((segment) => [segment.key, segment]));
    const closed = rows.filter(({ key }) => !open.has(key));
    await inParallel(openedAtOnce, closed, async ({ key }) => {
      open.set(key, { key, index: await readSegmentIndex(this.#bucket, key) });
    });
    return rows.map(({ key }) => open.get(key)!);
  }

  #evict(): void {
    let bytes = 0;
    for (const experiment of this.#cached.values()) bytes += bytesOf(experiment);
    for (const [experimentId, experiment] of this.#cached) {
      if (bytes <= this.#cachedBytesMax || this.#cached.size === 1) break;
      bytes -= bytesOf(experiment);
      this.#cached.delete(experimentId);
    }
  }
}

function bytesOf({ segments, tail }: CachedExperiment): number {
  return segments.reduce((sum, { index }) => sum + 80 * index.partition.length, tail.bytes);
}

interface HeadRow {
  log_seq: number;
  seal_seq: number;
  manifest_seq: number;
  /** 1 when it has series that are in the trash, or were purged. */
  has_dropped: number;
}

const nothing: ReadonlySet<number> = new Set();

async function readDropped(reader: Reader, experimentId: string): Promise<ReadonlySet<number>> {
  const rows = await reader.all<{ partition: number }>(
    "SELECT partition FROM dropped_series WHERE experiment = $1 AND is_out = 1",
    experimentId,
  );
  return new Set(rows.map(({ partition }) => partition));
}

interface CachedExperiment {
  /** Tells database servers apart: see `Reader`. */
  incarnation: string;
  segments: Segment[];
  tail: Tail;
  manifestSeq: number;
}

/** A segment; segments are in the order of their log rows, that of arrival. */
export interface Segment {
  key: string;
  index: SegmentIndex;
}

export interface ShortChunk {
  bytes: number;
  /** Whether its timestamps never go down. */
  isOrdered: boolean;
  read(): Promise<Uint8Array>;
}

interface SnapshotParts {
  drawn?: DrawnSources;
  /** Partitions of deleted series: they are not requested, and totals exclude them. */
  dropped?: ReadonlySet<number>;
  /**
   * Equal moments mean that nothing was sealed, merged or purged in between: at most the tail has
   * grown.
   */
  moment?: string;
}

export class Snapshot {
  readonly #bucket: Pick<SegmentBucket, "read">;
  readonly #drawn: DrawnSources;
  readonly #segments: Segment[];
  /**
   * The tail; its lengths are taken at once for all requested partitions, since it goes on growing.
   */
  readonly #tail: Tail;
  readonly #tailLength: ReadonlyMap<number, number>;
  readonly #tailFirstTimestamp: number;
  readonly #dropped: ReadonlySet<number>;
  readonly #moment: string;

  constructor(
    bucket: Pick<SegmentBucket, "read">,
    segments: Segment[],
    tail: Tail,
    partitions: Iterable<number>,
    { drawn = new DrawnSources(bucket, 0, 0), dropped = nothing, moment = "" }: SnapshotParts = {},
  ) {
    this.#bucket = bucket;
    this.#drawn = drawn;
    this.#segments = segments;
    this.#tail = tail;
    this.#tailLength = tail.lengths(partitions);
    this.#dropped = dropped;
    this.#moment = moment;
    this.#tailFirstTimestamp = tail.firstTimestampBut(dropped);
  }

  /** Snapshots in which it is the same have the same points of the partition. */
  stateOf(partition: number): string {
    return `${this.#moment} ${partition} ${this.#tailLength.get(partition) ?? 0}`;
  }

  count(partition: number): number {
    let count = this.#tailLength.get(partition) ?? 0;
    for (const { index } of this.#segments) {
      const [first, last] = index.chunksOf(partition);
      for (let at = first; at < last; at++) count += index.count[at];
    }
    return count;
  }

  /**
   * Returns the earliest timestamp of all points of the experiment's series; Infinity when it has
   * none.
   */
  firstTimestamp(): number {
    let first = this.#tailFirstTimestamp;
    for (const { index } of this.#segments) {
      for (const [at, timestamp] of index.minTimestamp.entries())
        if (!this.#dropped.has(index.partition[at])) first = Math.min(first, timestamp);
    }
    return first;
  }

  /** Returns all sources of the partition, in order of arrival. */
  sources(partition: number): PointSource[] {
    return [
      ...this.#chunks(partition, (...chunk) => this.#chunkSource(...chunk)),
      ...this.#tailSources(partition),
    ];
  }

  /** The only chunk of a partition with few points, none of which is unsealed. */
  shortChunk(partition: number, countMax: number): ShortChunk | undefined {
    if ((this.#tailLength.get(partition) ?? 0) > 0) return undefined;
    let found: ShortChunk | undefined;
    for (const { key, index } of this.#segments) {
      const [first, last] = index.chunksOf(partition);
      if (first === last) continue;
      if (found !== undefined || last - first > 1 || index.count[first] > countMax)
        return undefined;
      const read = () => this.#bucket.read(key, index.offset[first], index.bytes[first]);
      found = { bytes: index.bytes[first], isOrdered: index.isOrdered[first] === 1, read };
    }
    return found;
  }

  /**
   * Reads the points of a partition, in order of their steps where they are sealed, if one source
   * has all of them and they are few; undefined otherwise.
   */
  async shortPoints(partition: number, countMax: number): Promise<Points | undefined> {
    const [source, ...others] = this.sources(partition);
    const isShort = source !== undefined && others.length === 0 && source.count <= countMax;
    return isShort ? source.read() : undefined;
  }

  /** Returns the same sources for charts: points read stay in memory, and there are grains. */
  drawnSources(partition: number): DrawnSource[] {
    return [
      ...this.#chunks(partition, (...chunk) =>
        this.#drawn.source(...chunk, this.#chunkSource(...chunk)),
      ),
      ...this.#tailSources(partition).map((tail) => ({ ...tail, isGrowing: true as const })),
    ];
  }

  #chunks<Source>(
    partition: number,
    source: (key: string, index: SegmentIndex, at: number) => Source,
  ): Source[] {
    return this.#segments.flatMap(({ key, index }) => {
      const [first, last] = index.chunksOf(partition);
      return Array.from({ length: last - first }, (_, row) => source(key, index, first + row));
    });
  }

  #tailSources(partition: number): PointSource[] {
    const length = this.#tailLength.get(partition) ?? 0;
    return length > 0 ? [tailSource(this.#tail.points(partition, length))] : [];
  }

  #chunkSource(key: string, index: SegmentIndex, at: number): PointSource {
    return {
      count: index.count[at],
      min: { step: index.minStep[at], timestamp: index.minTimestamp[at] },
      max: { step: index.maxStep[at], timestamp: index.maxTimestamp[at] },
      read: async () =>
        decodeChunk(await this.#bucket.read(key, index.offset[at], index.bytes[at])),
    };
  }
}

function tailSource(points: Points): PointSource {
  const step = bounds(points.step);
  const timestamp = bounds(points.timestamp);
  return {
    count: points.step.length,
    min: { step: step.min, timestamp: timestamp.min },
    max: { step: step.max, timestamp: timestamp.max },
    read: async () => points,
  };
}

function bounds(column: Float64Array): { min: number; max: number } {
  let min = Infinity;
  let max = -Infinity;
  for (const value of column) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}
