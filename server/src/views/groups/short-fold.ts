import type { GroupsBody } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import { BlockReader } from "../../points/blocks.ts";
import { type ChunkData, curveRoom, decodeCurve, readChunkData } from "../../points/chunk.ts";
import { type Curve, firstNotBelow } from "../charts/line.ts";
import { type FoldedColumns, FoldedCurve } from "./group-curve.ts";

/** Bytes of chunks that are decompressed in one call. */
const rawBytesMax = 33_554_432;

/** How short lines are folded: on which axis, and into which columns. */
export interface FoldedHow {
  raster: Raster;
  axis: "step" | "timestamp";
  /** Whether points at or below 0 are counted as left out: a logarithmic axis begins by itself. */
  countsBelow: boolean;
}

export function foldedHow(raster: Raster, { xAxis, xScale, start }: GroupsBody): FoldedHow {
  const axis = xAxis === "step" || xAxis === "offset" ? "step" : "timestamp";
  return { raster, axis, countsBelow: xScale === "log" && start === undefined };
}

/** Short lines as they are stored, with the number of the line and of its group. */
export interface ShortLines {
  numbers: Uint32Array<ArrayBuffer>;
  groups: Uint32Array<ArrayBuffer>;
  chunks: Uint8Array<ArrayBuffer>;
  lengths: Uint32Array<ArrayBuffer>;
  origins: Float64Array<ArrayBuffer>;
}

export interface FoldedGroups {
  columns: Map<number, FoldedColumns>;
  /** Numbers of lines that cannot be read. */
  failed: number[];
}

/** Decodes short lines, and folds each into its group. */
export class ShortFold {
  readonly #how: FoldedHow;
  readonly #room = curveRoom();
  readonly #curves = new Map<number, FoldedCurve>();
  readonly #failed: number[] = [];

  constructor(how: FoldedHow) {
    this.#how = how;
  }

  add(lines: ShortLines): void {
    const { lengths, chunks } = lines;
    const opened: { at: number; data: ChunkData }[] = [];
    for (let at = 0, end = 0, rawBytes = 0; at < lengths.length; at++) {
      const bytes = chunks.subarray(end, (end += lengths[at]));
      try {
        const data = readChunkData(bytes);
        const rawLength = BlockReader.rawLength(data.data);
        if (rawBytes + rawLength > rawBytesMax) {
          this.#addOpened(lines, opened.splice(0));
          rawBytes = 0;
        }
        rawBytes += rawLength;
        opened.push({ at, data });
      } catch {
        this.#failed.push(lines.numbers[at]);
      }
    }
    this.#addOpened(lines, opened);
  }

  take(): FoldedGroups {
    const columns = [...this.#curves].map(([group, curve]) => [group, curve.columns()] as const);
    return { columns: new Map(columns), failed: this.#failed };
  }

  #addOpened(lines: ShortLines, opened: readonly { at: number; data: ChunkData }[]): void {
    let readers: BlockReader[];
    try {
      readers = BlockReader.together(opened.map(({ data }) => data.data));
    } catch {
      for (const { at } of opened) this.#failed.push(lines.numbers[at]);
      return;
    }
    for (const [each, { at, data }] of opened.entries()) {
      let curve: Curve;
      try {
        curve = decodeCurve(data.count, readers[each], this.#how.axis, this.#room);
      } catch {
        this.#failed.push(lines.numbers[at]);
        continue;
      }
      const origin = lines.origins[at];
      const { x } = curve;
      if (origin !== 0) for (let point = 0; point < x.length; point++) x[point] -= origin;
      addShort(this.#curveOf(lines.groups[at]), curve, this.#how);
    }
  }

  #curveOf(group: number): FoldedCurve {
    let curve = this.#curves.get(group);
    if (curve === undefined) this.#curves.set(group, (curve = new FoldedCurve(this.#how.raster)));
    return curve;
  }
}

/** As a Reduction does it with few points, without its memory: there are many such lines. */
export function addShort(
  folded: FoldedCurve,
  { x, value }: Curve,
  { raster, countsBelow }: FoldedHow,
): void {
  const start = firstNotBelow(x, raster.start);
  const end = firstNotBelow(x, raster.end);
  const isWhole = start === 0 && end === x.length;
  const exact = isWhole
    ? { x, value }
    : { x: x.subarray(start, end), value: value.subarray(start, end) };
  folded.points += end - start;
  if (countsBelow) folded.unplaced += firstNotBelow(x, Number.MIN_VALUE);
  const hasPlace = (at: number) => raster.xScale !== "log" || x[at] > 0;
  folded.add({
    exact,
    ...(start > 0 &&
      hasPlace(start - 1) && { before: { x: x[start - 1], value: value[start - 1] } }),
    ...(end < x.length && hasPlace(end) && { after: { x: x[end], value: value[end] } }),
  });
}
