import type { Raster } from "@lossless/protocol/raster";
import type { LaidLine } from "./laid-line.ts";
import type { NonfiniteEnd } from "./last-nonfinite.ts";
import type { DenseLine, Extent, Line } from "./line.ts";
import type { MergedColumns } from "./merged-columns.ts";
import { drawnOf, reduceLine } from "./reduced-line.ts";
import { exactPointsPerColumn, Reduction } from "./reduction.ts";
import type { DrawnLine, DrawnLines } from "./selected-partitions.ts";
import type { PlacedSmoothing } from "./smoothing.ts";

/** A line as an overview returns it. */
export class Drawing {
  points = 0;
  readonly #laid: LaidLine;
  readonly #lines: DrawnLines | undefined;
  #unplaced: number;
  #text = nothing;
  #found: Promise<{ first: number; below: number } | undefined> | undefined;
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
    const found = await this.#above0();
    this.#unplaced += found?.below ?? 0;
    return found?.first ?? Infinity;
  }

  /** Returns the same place, of an axis that begins elsewhere. */
  async leastAbove0(): Promise<number> {
    return (await this.#above0())?.first ?? Infinity;
  }

  #above0(): Promise<{ first: number; below: number } | undefined> {
    return (this.#found ??= this.#laid.unlessDamaged((line) => line.firstAbove0()));
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

  async reduce(raster: Raster, extent: Extent, smooth: PlacedSmoothing | undefined): Promise<void> {
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

  async #draw(line: Line, raster: Raster, extent: Extent, smooth: PlacedSmoothing | undefined) {
    const { isStep } = this.#laid;
    const dense = this.#dense;
    const asked = { raster, extent, smooth, dense, tellsRepeated: isStep };
    const { reduction, smoothed } = await reduceLine(line, asked);
    const passes = isStep ? await passesOf(reduction, line, extent) : {};
    return told(reduction, passes, smoothed);
  }
}

type Passes = Partial<Record<"repeated" | "back", readonly number[]>>;

/** Says where a line along steps went over them again. */
async function passesOf(
  reduction: Reduction | MergedColumns,
  line: Line,
  extent: Extent,
): Promise<Passes> {
  const repeated = reduction.repeated();
  if (!(reduction instanceof Reduction) || !reduction.isExact) return { repeated };
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
  const smooth = smoothed === undefined ? {} : drawnOf(smoothed);
  const isSmooth = Object.keys(smooth).length > 0;
  const drawn = {
    ...reduction.bounds(),
    ...drawnOf(reduction),
    ...(repeated.length > 0 && { repeated }),
    ...(back.length > 0 && { back }),
    ...(isSmooth && { smoothed: smooth }),
  };
  return { points: reduction.points, text: JSON.stringify(drawn) };
}
