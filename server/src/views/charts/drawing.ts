import { setImmediate } from "node:timers/promises";
import type { Raster } from "@lossless/protocol/raster";
import type { LaidLine } from "./laid-line.ts";
import type { Curve, DenseLine, Extent, Line } from "./line.ts";
import type { MergedColumns } from "./merged-columns.ts";
import { exactPointsPerColumn, Reduction } from "./reduction.ts";
import type { Smoother } from "./smoothing.ts";

/** The event loop runs after so many points: a few milliseconds of decoding. */
const pointsPerTurn = 131_072;
/** The same of what smoothing multiplies. */
const productsPerTurn = 4_194_304;

/** A line as an overview gives it. */
export class Drawing {
  points = 0;
  readonly #laid: LaidLine;
  #unplaced: number;
  #drawn = {};
  /** How its columns are made, as it was counted; there is one raster for all. */
  #dense: DenseLine | undefined;

  constructor(laid: LaidLine) {
    this.#laid = laid;
    this.#unplaced = laid.unpaired;
  }

  bounds(): ReturnType<Line["bounds"]> {
    return this.#laid.line?.bounds();
  }

  /** Where a logarithmic axis may begin; what lies before that has no place on it. */
  async firstAbove0(): Promise<number> {
    const found = await this.#laid.unlessDamaged((line) => line.firstAbove0());
    this.#unplaced += found?.below ?? 0;
    return found?.first ?? Infinity;
  }

  /** Points that have to be read for these columns. */
  count(raster: Raster, extent: Extent, isSmooth: boolean): number {
    const { line } = this.#laid;
    if (line === undefined) return 0;
    this.#dense = isSmooth
      ? undefined
      : line.dense?.(raster, exactPointsPerColumn * raster.columns);
    return this.#dense?.pointsToRead ?? line.count(extent);
  }

  async reduce(raster: Raster, extent: Extent, smoother: Smoother | undefined): Promise<void> {
    const reduction = new Reduction(raster);
    const smoothed = new Reduction(raster);
    await this.#laid.unlessDamaged(async (line) => {
      if (this.#dense !== undefined) return this.#take(await this.#dense.columns());
      for await (const block of inTurns(line.blocks(extent), smoother?.products ?? 0)) {
        reduction.add(block);
        if (smoother !== undefined) smoothed.add(smoother.next(block));
      }
      if (smoother !== undefined) smoothed.add(smoother.end());
      this.#take(reduction, smoother && smoothed);
    });
  }

  /** Printed as soon as it is reduced: the columns of many lines together are not kept. */
  print(): string {
    const unplaced = this.#unplaced > 0 ? { unplaced: this.#unplaced } : {};
    this.#dense = undefined;
    const text = this.#laid.print({ points: 0, ...unplaced, ...this.#drawn });
    this.#drawn = {};
    return text;
  }

  #take(reduction: Reduction | MergedColumns, smoothed?: Reduction): void {
    this.points = reduction.points;
    const smooth = smoothed === undefined ? {} : lineOf(smoothed);
    const isSmooth = Object.keys(smooth).length > 0;
    this.#drawn = {
      ...reduction.bounds(),
      ...lineOf(reduction),
      ...(isSmooth && { smoothed: smooth }),
    };
  }
}

/** What lies in the range, and next to it. */
function lineOf(reduction: Reduction | MergedColumns) {
  return { ...reduction.neighbours(), ...reduction.drawn() };
}

/** Blocks in pieces of at most one turn of the event loop, and a new turn after each full one. */
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
