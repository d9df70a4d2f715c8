import type { SegmentBucket } from "../buckets/bucket.ts";
import { BoundedCache } from "./bounded-cache.ts";
import type { Grains } from "./grains.ts";
import { readGrains, type SegmentIndex } from "./segment.ts";

/**
 * Length of the stretch of a segment whose grains are read together, those of all partitions that
 * begin there: a chart of a hundred series would otherwise wait for a hundred small reads.
 */
const stretchBytes = 65_536;

/** Stored grains, read with those of neighbours, which a page usually requests soon. */
export class GrainReads {
  readonly #bucket: Pick<SegmentBucket, "read">;
  readonly #stretches: BoundedCache<Stretch>;

  constructor(bucket: Pick<SegmentBucket, "read">, bytesMax: number) {
    this.#bucket = bucket;
    this.#stretches = new BoundedCache(bytesMax);
  }

  read(key: string, index: SegmentIndex, partition: number): Promise<Grains[]> {
    const [first] = index.chunksOf(partition);
    const read = async (_key: string, offset: number, length: number) => {
      const { start, bytes } = await this.#stretch(key, index, first);
      return bytes.subarray(offset - start, offset - start + length);
    };
    return readGrains({ read }, key, index, partition);
  }

  async #stretch(key: string, index: SegmentIndex, chunk: number): Promise<Stretch> {
    const number = stretchOf(index, chunk);
    const name = `${key} ${number}`;
    const known = this.#stretches.get(name);
    if (known !== undefined) return known;
    let [from, to] = [chunk, chunk + 1];
    while (from > 0 && stretchOf(index, from - 1) === number) from--;
    while (to < index.grainOffset.length && stretchOf(index, to) === number) to++;
    const start = index.grainOffset[from];
    const end = index.grainOffset[to - 1] + index.grainBytes[to - 1];
    const stretch = { start, bytes: await this.#bucket.read(key, start, end - start) };
    this.#stretches.set(name, stretch, end - start);
    return stretch;
  }
}

interface Stretch {
  /** Offset in the segment. */
  start: number;
  bytes: Uint8Array;
}

function stretchOf(index: SegmentIndex, chunk: number): number {
  return Math.floor(index.grainOffset[chunk] / stretchBytes);
}
