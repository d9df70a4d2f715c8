import type { SegmentBucket } from "../buckets/bucket.ts";
import { inParallel } from "../ground/in-parallel.ts";
import { BlockReader } from "./blocks.ts";
import { decodeFooter, type Footer, readFooter, type SegmentIndex } from "./segment.ts";

/** The index of a segment, or why it cannot be read. */
export type ReadIndex = { index: SegmentIndex } | { failure: unknown };

/** Segments that are opened at once. */
const openedAtOnce = 32;
/** Bytes of footers that are decompressed in one call: a call costs more than a short footer. */
const togetherBytesMax = 1_048_576;

/** Reads the indexes of many segments. */
export async function readSegmentIndexes(
  bucket: Pick<SegmentBucket, "read" | "size">,
  keys: readonly string[],
): Promise<Map<string, ReadIndex>> {
  const indexes = new Map<string, ReadIndex>();
  const footers: Footer[] = [];
  await inParallel(openedAtOnce, keys, async (key) => {
    try {
      footers.push(await readFooter(bucket, key));
    } catch (failure) {
      indexes.set(key, { failure });
    }
  });
  for (let start = 0, end = 0; start < footers.length; start = end) {
    let bytes = 0;
    while (end < footers.length && (end === start || bytes < togetherBytesMax))
      bytes += footers[end++].blocks.length;
    decodeTogether(footers.slice(start, end), indexes);
  }
  return indexes;
}

function decodeTogether(footers: readonly Footer[], indexes: Map<string, ReadIndex>): void {
  const readers = readersOf(footers);
  for (const [at, footer] of footers.entries()) {
    try {
      const blocks = readers?.[at] ?? new BlockReader(footer.blocks);
      indexes.set(footer.key, { index: decodeFooter(footer, blocks) });
    } catch (failure) {
      indexes.set(footer.key, { failure });
    }
  }
}

/** Returns the blocks of all; undefined where one cannot be read, which is found by itself. */
function readersOf(footers: readonly Footer[]): BlockReader[] | undefined {
  try {
    return BlockReader.together(footers.map(({ blocks }) => blocks));
  } catch {
    return undefined;
  }
}
