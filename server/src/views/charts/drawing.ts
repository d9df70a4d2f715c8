import { setImmediate } from "node:timers/promises";
import type { Smoothing } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import type { LaidLine } from "./laid-line.ts";
import type { NonfiniteEnd } from "./last-nonfinite.ts";
import type { Curve, DenseLine, Extent, Line } from "./line.ts";
import type { MergedColumns } from "./merged-columns.ts";
import { exactPointsPerColumn, Reduction } from "./reduction.ts";
import type { DrawnLine, DrawnLines } from "./selected-partitions.ts";
import { smootherOf } from "./smoothing.ts";

/** Points after which the event loop runs: a few milliseconds of decoding. */
const pointsPerTurn = 131_072;
/** Multiplications of smoothing after which the event loop runs. */
const productsPerTurn = 4_194_304;

/** A line as an overview returns it. */
export class Drawing {
  points = 0;
  readonly #laid: LaidLine;
  readonly #lines: DrawnLines | undefined;
  #unplaced: number;
  #text = nothing;
  /** The way to make its columns, as found by `count`; all lines have one raster. */
  #dense: DenseLine | undefined;

  /** Lines found in `lines` are not drawn again. */
  constructor(laid: LaidLine, lines?: DrawnLines) {
    this.#laid = laid;
    this.#lines = lines;
    this.#unplaced = laid.unpaired;
  }

  bounds(): ReturnType<Line["bounds"]> {
    return this.#laid.line?.bounds();
  }

  /** Returns where a logarithmic axis may begin; points before it have no place on it. */
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

  async reduce(raster: Raster, extent: Extent, smooth: Smoothing | undefined): Promise<void> {
    const { state, problem } = this.#laid;
    // A line that turned out to be damaged is not replied with its earlier drawing.
    const isKept = state !== undefined && problem === undefined;
    const name = !isKept ? undefined : `${state} ${JSON.stringify([raster, smooth])}`;
    const known = name === undefined ? undefined : this.#lines?.get(name);
    const drawn =
      known ?? (await this.#laid.unlessDamaged((line) => this.#draw(line, raster, extent, smooth)));
    this.#dense = undefined;
    if (drawn === undefined) return;
    this.points = drawn.points;
    this.#text = drawn.text;
    if (known !== undefined || name === undefined) return;
    this.#lines?.set(name, drawn, name.length + drawn.text.length);
  }

  /**
   * Returns the JSON, printed as soon as it is reduced: the columns of many lines together are not
   * kept.
   */
  print(end: NonfiniteEnd = {}): string {
    const text = this.#text;
    this.#text = nothing;
    const unplaced = this.#unplaced > 0 ? `{"unplaced":${this.#unplaced},` : "{";
    const last = Object.entries(end).map(([name, value]) => `"${name}":${JSON.stringify(value)},`);
    return this.#laid.print(`${unplaced}${last.join("")}${text.slice(1)}`);
  }

  async #draw(line: Line, raster: Raster, extent: Extent, smooth: Smoothing | undefined) {
    const { isStep } = this.#laid;
    if (this.#dense !== undefined) {
      const columns = await this.#dense.columns();
      return told(columns, isStep ? { repeated: columns.repeated() } : {});
    }
    const smoother = smooth && smootherOf(smooth);
    const reduction = new Reduction(raster, isStep);
    const smoothed = new Reduction(raster);
    for await (const block of inTurns(line.curve(extent), smoother?.products ?? 0)) {
      reduction.add(block);
      if (smoother !== undefined) smoothed.add(smoother.next(block));
    }
    if (smoother !== undefined) smoothed.add(smoother.end());
    const passes = isStep ? await passesOf(reduction, line, extent) : {};
    return told(reduction, passes, smoother && smoothed);
  }
}

type Passes = Partial<Record<"repeated" | "back", readonly number[]>>;

/** Says where a line along steps went over them again. */
async function passesOf(reduction: Reduction, line: Line, extent: Extent): Promise<Passes> {
  const repeated = reduction.repeated();
  if (!reduction.isExact) return { repeated };
  return repeated.length === 0 ? {} : { back: await recordedBack(line, extent) };
}

/** The positions in the range of points that were recorded before the one ahead of them. */
async function recordedBack(line: Line, { start, end }: Extent): Promise<number[]> {
  const back: number[] = [];
  let [at, before] = [0, -Infinity];
  for await (const { x, timestamp } of line.blocks({ start, end, before: 0, after: 0 })) {
    for (let row = 0; row < x.length; row++) {
      if (x[row] < start || x[row] >= end) continue;
      if (timestamp[row] < before) back.push(at);
      before = timestamp[row];
      at++;
    }
  }
  return back;
}

const nothing = JSON.stringify({ points: 0 });

function told(
  reduction: Reduction | MergedColumns,
  { repeated = [], back = [] }: Passes,
  smoothed?: Reduction,
): DrawnLine {
  const smooth = smoothed === undefined ? {} : lineOf(smoothed);
  const isSmooth = Object.keys(smooth).length > 0;
  const drawn = {
    ...reduction.bounds(),
    ...lineOf(reduction),
    ...(repeated.length > 0 && { repeated }),
    ...(back.length > 0 && { back }),
    ...(isSmooth && { smoothed: smooth }),
  };
  return { points: reduction.points, text: JSON.stringify(drawn) };
}

/** Returns the points in the range, and those next to it. */
function lineOf(reduction: Reduction | MergedColumns) {
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
