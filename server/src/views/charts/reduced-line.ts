import { setImmediate } from "node:timers/promises";
import type { Raster } from "@lossless/protocol/raster";
import type { Curve, DenseLine, Extent, Line } from "./line.ts";
import type { MergedColumns } from "./merged-columns.ts";
import { Reduction } from "./reduction.ts";
import { type PlacedSmoothing, smootherOf } from "./smoothing.ts";

/** Points after which the event loop runs: a few milliseconds of decoding. */
const pointsPerTurn = 131_072;
/** Multiplications of smoothing after which the event loop runs. */
const productsPerTurn = 4_194_304;

export interface ReducedLine {
  reduction: Reduction | MergedColumns;
  smoothed?: Reduction;
}

export interface LineReduction {
  raster: Raster;
  extent: Extent;
  smooth: PlacedSmoothing | undefined;
  /** The way to make its columns; undefined: from the points themselves. */
  dense: DenseLine | undefined;
  /** Whether `repeated` of its reduction is known. */
  tellsRepeated: boolean;
}

/** Reduces a line to what a chart draws of it, and its smoothed form likewise. */
export async function reduceLine(
  line: Line,
  { raster, extent, smooth, dense, tellsRepeated }: LineReduction,
): Promise<ReducedLine> {
  if (dense !== undefined) return { reduction: await dense.columns() };
  const smoother = smooth && smootherOf(smooth);
  const reduction = new Reduction(raster, tellsRepeated);
  const smoothed = new Reduction(raster);
  for await (const block of inTurns(line.curve(extent), smoother?.products ?? 0)) {
    reduction.add(block);
    if (smoother !== undefined) smoothed.add(smoother.next(block));
  }
  if (smoother === undefined) return { reduction };
  smoothed.add(smoother.end());
  return { reduction, smoothed };
}

/** Returns the points in the range, and those next to it. */
export function drawnOf(reduction: Reduction | MergedColumns) {
  return { ...reduction.neighbours(), ...reduction.drawn() };
}

/**
 * Yields blocks in pieces of at most one turn of the event loop, and takes a new turn after each
 * full one.
 */
async function* inTurns(
  blocks: AsyncIterable<Curve> | Iterable<Curve>,
  products: number,
): AsyncGenerator<Curve> {
  const most = Math.floor(Math.min(pointsPerTurn, productsPerTurn / Math.max(1, products)));
  let turn = 0;
  for await (const { x, value } of blocks) {
    for (let start = 0; start < x.length; start += most) {
      const end = Math.min(x.length, start + most);
      yield { x: x.subarray(start, end), value: value.subarray(start, end) };
      turn += end - start;
      if (turn < most) continue;
      turn = 0;
      await setImmediate();
    }
  }
}
