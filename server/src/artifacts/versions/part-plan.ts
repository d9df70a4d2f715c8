import { limits } from "@lossless/protocol/limits";
import type { PartLimits } from "../../buckets/bucket.ts";

const mebibyte = 1_048_576;

export interface PlannedFile {
  partSize: number;
  /** Number of parts, at least 1: an empty file is one empty part. */
  parts: number;
}

/**
 * Plans how files are cut into parts (A14): 8 MiB, or more so that a file has at most 1,000 parts
 * as long as the store allows parts of that size, and all files together at most 10,000, the most
 * that one reply can carry. Undefined: the store cannot take these files in one upload.
 */
export function planParts(sizes: readonly number[], store: PartLimits): PlannedFile[] | undefined {
  // In whole MiB.
  let least = Math.ceil(Math.max(limits.partBytesMin, store.partBytesMin) / mebibyte);
  const largest = Math.floor(Math.min(limits.partBytesMax, store.partBytesMax) / mebibyte);
  const plan = (atLeast: number) => sizes.map((size) => planFile(size, atLeast, largest));
  const partsMax = partsMaxOf(store, countParts(plan(largest)));
  const fits = (files: PlannedFile[]) =>
    files.every(({ parts }) => parts <= store.partsMax) && countParts(files) <= partsMax;
  let fitting = plan(largest);
  if (!fits(fitting)) return undefined;
  for (let most = largest; least < most;) {
    const middle = Math.floor((least + most) / 2);
    const files = plan(middle);
    if (fits(files)) [most, fitting] = [middle, files];
    else least = middle + 1;
  }
  return fitting;
}

/**
 * Returns the maximum of parts. A preferred maximum of the store may be exceeded by a quarter for
 * files that need more.
 */
function partsMaxOf({ partsPerUploadMax }: PartLimits, least: number): number {
  const most = limits.partsPerUploadMax;
  return Math.min(most, Math.max(partsPerUploadMax ?? most, Math.ceil(least * 1.25)));
}

function countParts(files: readonly PlannedFile[]): number {
  return files.reduce((sum, { parts }) => sum + parts, 0);
}

function planFile(size: number, atLeast: number, largest: number): PlannedFile {
  const aimed = Math.ceil(size / limits.partsPerFileAim / mebibyte);
  const partSize = Math.min(largest, Math.max(atLeast, aimed)) * mebibyte;
  return { partSize, parts: Math.max(1, Math.ceil(size / partSize)) };
}

/** Bytes of part `number`, from 1: all but the last have exactly `partSize`. */
export function partBytes(
  { size, partSize, parts }: PlannedFile & { size: number },
  number: number,
): number {
  return number < parts ? partSize : size - partSize * (parts - 1);
}
