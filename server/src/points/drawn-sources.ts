import type { SegmentBucket } from "../buckets/bucket.ts";
import { BlockReader } from "./blocks.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { pointsPerChunk, readChunkData } from "./chunk.ts";
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

/** Chunks opened together, when as many before them were. */
const chunksAtOnce = 16;

/** Chunks that were opened together: each keeps the memory of all of them. */
interface Run {
  start: number;
  points: CompactPoints[];
}

/** Sealed points as charts draw them; recently used ones are kept decoded. */
export class DrawnSources {
  readonly #bucket: Pick<SegmentBucket, "read">;
  readonly #grains: BoundedCache<readonly Grains[]>;
  readonly #reads: GrainReads;
  readonly #points: BoundedCache<Run>;
  /** Scratch memory for the values of the chunk being decoded. */
  readonly #room = new Float64Array(pointsPerChunk);

  constructor(bucket: Pick<SegmentBucket, "read">, grainsBytesMax: number, pointsBytesMax: number) {
    this.#bucket = bucket;
    this.#grains = new BoundedCache(grainsBytesMax * (1 - readShare));
    this.#reads = new GrainReads(bucket, grainsBytesMax * readShare);
    this.#points = new BoundedCache(pointsBytesMax);
  }

  source(key: string, index: SegmentIndex, at: number, plain: PointSource): DrawnSource {
    const count = index.count[at];
    const source = {
      ...plain,
      read: async () => (await this.#open(key, index, at)).slice(0, count),
    };
    const open = () => this.#counted(key, index, at);
    const exponent = grainExponent(count, index.minStep[at], index.maxStep[at]);
    if (exponent === undefined) return source;
    const [first] = index.chunksOf(index.partition[at]);
    const isStored = index.grainBytes[first] > 0;
    const grains = () => (isStored ? this.#read(key, index, at) : this.#make(key, index, at));
    const isOrdered = index.isOrdered[at] === 1;
    return { ...source, summary: { exponent, isOrdered, isStored, grains, open } };
  }

  /** Opens points whose curve may take more memory from then on, which is counted. */
  async #counted(key: string, index: SegmentIndex, at: number): ReturnType<Summary["open"]> {
    const points = await this.#open(key, index, at);
    return {
      slice: (start, end, room) => points.slice(start, end, room),
      curve: (axis, room) => {
        const { bytes } = points;
        const curve = points.curve(axis, room);
        if (points.bytes !== bytes) this.#points.grow(`${key} ${at}`, points.bytes - bytes);
        return curve;
      },
    };
  }

  async #open(key: string, index: SegmentIndex, at: number): Promise<CompactPoints> {
    const run = this.#points.get(`${key} ${at}`);
    if (run !== undefined) return run.points[at - run.start];
    const end = this.#endOfRun(key, index, at);
    try {
      return await this.#openRun(key, index, at, end);
    } catch (error) {
      if (end === at + 1) throw error;
      // Damage of another chunk is none of this one.
      return this.#openRun(key, index, at, at + 1);
    }
  }

  /**
   * Returns where the chunks end that are opened with this one: as many as are open before it, so
   * that a chart that wants them all waits for few reads, and one that wants a few reads no others.
   */
  #endOfRun(key: string, index: SegmentIndex, at: number): number {
    const [first, last] = index.chunksOf(index.partition[at]);
    let before = 0;
    while (before < chunksAtOnce && at - before > first) {
      if (!this.#points.has(`${key} ${at - before - 1}`)) break;
      before++;
    }
    let end = at + 1;
    while (end < Math.min(last, at + before) && !this.#points.has(`${key} ${end}`)) end++;
    return end;
  }

  async #openRun(
    key: string,
    index: SegmentIndex,
    start: number,
    end: number,
  ): Promise<CompactPoints> {
    const from = index.offset[start];
    const length = index.offset[end - 1] + index.bytes[end - 1] - from;
    const bytes = alone(await this.#bucket.read(key, from, length));
    const chunks = Array.from({ length: end - start }, (_, row) => {
      const offset = index.offset[start + row] - from;
      return readChunkData(bytes.subarray(offset, offset + index.bytes[start + row]));
    });
    const parts = chunks.map(({ data }) => data);
    const blocks = BlockReader.together(parts);
    const points = chunks.map(({ count }, at) => new CompactPoints(count, blocks[at], this.#room));
    const names = points.map((_, at) => `${key} ${start + at}`);
    const decompressed = parts.reduce((sum, part) => sum + BlockReader.rawLength(part), 0);
    const own = points.reduce((sum, each) => sum + each.bytes, 0);
    this.#points.setAll(names, { start, points }, length + decompressed + own);
    return points[0];
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

/** Some buckets give a part of a larger buffer, all of which would be kept. */
function alone(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}
