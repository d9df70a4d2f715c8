import type { SegmentBucket } from "../buckets/bucket.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { openChunkColumns, pointsPerChunk } from "./chunk.ts";
import { CompactPoints } from "./compact-points.ts";
import { GrainReads } from "./grain-reads.ts";
import { grainBytes, grainExponent, grainsOf, type Grains } from "./grains.ts";
import type { PointSource } from "./search.ts";
import type { SegmentIndex } from "./segment.ts";

/** A part of a partition that is drawn: much of it from its grains, without its points. */
export interface DrawnSource extends PointSource {
  summary?: Summary;
  /** Set while the source is not sealed. */
  isGrowing?: true;
}

export interface Summary {
  /** Grains hold cells of 2^exponent steps. */
  exponent: number;
  /** Whether the points, in the order of their steps, are in that of their timestamps, too. */
  isOrdered: boolean;
  /** Whether grains are stored; otherwise they are made from the points. */
  isStored: boolean;
  grains(): Promise<Grains>;
  /** Opens the points, numbered as in the grains. */
  open(): Promise<Pick<CompactPoints, "slice" | "curve">>;
}

/** Measured overhead in bytes of a chunk's grains: an object, and its columns' arrays. */
const chunkBytes = 4_096;
/** Share of the memory for grains that holds them as read. */
const readShare = 1 / 16;

/** Sealed points as charts draw them; recently used ones are kept decoded. */
export class DrawnSources {
  readonly #bucket: Pick<SegmentBucket, "read">;
  readonly #grains: BoundedCache<readonly Grains[]>;
  readonly #reads: GrainReads;
  readonly #points: BoundedCache<CompactPoints>;
  /** Scratch memory for the chunk being decoded. */
  readonly #room = {
    step: new Float64Array(pointsPerChunk),
    value: new Float64Array(pointsPerChunk),
  };

  constructor(bucket: Pick<SegmentBucket, "read">, grainsBytesMax: number, pointsBytesMax: number) {
    this.#bucket = bucket;
    this.#grains = new BoundedCache(grainsBytesMax * (1 - readShare));
    this.#reads = new GrainReads(bucket, grainsBytesMax * readShare);
    this.#points = new BoundedCache(pointsBytesMax);
  }

  source(key: string, index: SegmentIndex, at: number, plain: PointSource): DrawnSource {
    const count = index.count[at];
    const open = () => this.#open(key, index, at);
    const source = {
      ...plain,
      read: async () => (await open()).slice(0, count),
    };
    const exponent = grainExponent(count, index.minStep[at], index.maxStep[at]);
    if (exponent === undefined) return source;
    const [first] = index.chunksOf(index.partition[at]);
    const isStored = index.grainBytes[first] > 0;
    const grains = () => (isStored ? this.#read(key, index, at) : this.#make(key, index, at));
    const isOrdered = index.isOrdered[at] === 1;
    return { ...source, summary: { exponent, isOrdered, isStored, grains, open } };
  }

  async #open(key: string, index: SegmentIndex, at: number): Promise<CompactPoints> {
    const name = `${key} ${at}`;
    const known = this.#points.get(name);
    if (known !== undefined) return known;
    const bytes = await this.#bucket.read(key, index.offset[at], index.bytes[at]);
    const points = new CompactPoints(openChunkColumns(bytes, this.#room));
    this.#points.set(name, points, points.bytes);
    return points;
  }

  /** Reads the grains of all the partition's chunks in the segment, one object. */
  async #read(key: string, index: SegmentIndex, at: number): Promise<Grains> {
    const partition = index.partition[at];
    const [first] = index.chunksOf(partition);
    const name = `${key} ${first}`;
    let grains = this.#grains.get(name);
    if (grains === undefined) {
      grains = await this.#reads.read(key, index, partition);
      this.#keep(name, grains);
    }
    return grains[at - first];
  }

  async #make(key: string, index: SegmentIndex, at: number): Promise<Grains> {
    const name = `${key} ${at}`;
    const [known] = this.#grains.get(name) ?? [];
    if (known !== undefined) return known;
    const points = await this.#open(key, index, at);
    const grains = grainsOf(points.slice(0, index.count[at]));
    this.#keep(name, [grains]);
    return grains;
  }

  #keep(name: string, grains: readonly Grains[]): void {
    const count = grains.reduce((sum, each) => sum + each.count.length, 0);
    this.#grains.set(name, grains, count * grainBytes + grains.length * chunkBytes);
  }
}
