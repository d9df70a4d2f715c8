import { setImmediate } from "node:timers/promises";
import type { OverviewBody } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import type { ServiceError } from "../ground/errors.ts";
import { SourceLine, type Extent, type Line, type PlacedPoints } from "./line.ts";
import { PairedLine } from "./paired-line.ts";
import { Reduction } from "./reduction.ts";
import type { SelectedPartition, ViewContext } from "./selected-partitions.ts";
import type { Smoother } from "./smoothing.ts";

/** The event loop runs after so many points: a few milliseconds of decoding. */
const pointsPerTurn = 131_072;
/** The same of what smoothing multiplies. */
const productsPerTurn = 4_194_304;

/** One line of a reply, while it is made. Damage is said of it, and the others are drawn. */
export class Drawing {
  points = 0;
  readonly #partition: SelectedPartition;
  readonly #damage: ViewContext["damage"];
  #line: Line | undefined;
  #problem: ServiceError | undefined;
  #unplaced = 0;
  #drawn = {};

  constructor(partition: SelectedPartition, damage: ViewContext["damage"]) {
    this.#partition = partition;
    this.#damage = damage;
    this.#problem = partition.problem;
  }

  /** Lays its points along the axis; only the axis of another metric is read for that. */
  async lay(xAxis: OverviewBody["xAxis"]): Promise<void> {
    const { sources, xSources, origin } = this.#partition;
    if (xAxis !== "metric") {
      const axis = xAxis === "step" || xAxis === "offset" ? "step" : "timestamp";
      this.#line = new SourceLine(sources, axis, origin);
      return;
    }
    const line = await this.#unlessDamaged(() => PairedLine.read(sources, xSources));
    this.#unplaced += line?.unpaired ?? 0;
    this.#line = line;
  }

  bounds(): ReturnType<Line["bounds"]> {
    return this.#line?.bounds();
  }

  /** Where a logarithmic axis may begin; what lies before that has no place on it. */
  async firstAbove0(): Promise<number> {
    const found = await this.#unlessDamaged(async () => this.#line?.firstAbove0());
    this.#unplaced += found?.below ?? 0;
    return found?.first ?? Infinity;
  }

  count(extent: Extent): number {
    return this.#line?.count(extent) ?? 0;
  }

  async reduce(raster: Raster, extent: Extent, smoother: Smoother | undefined): Promise<void> {
    const line = this.#line;
    if (line === undefined) return;
    const reduction = new Reduction(raster);
    const smoothed = new Reduction(raster);
    await this.#unlessDamaged(async () => {
      for await (const block of inTurns(line.blocks(extent), smoother?.products ?? 0)) {
        reduction.add(block);
        if (smoother !== undefined) smoothed.add(smoother.next(block));
      }
      if (smoother !== undefined) smoothed.add(smoother.end());
      this.points = reduction.points;
      this.#drawn = {
        ...reduction.bounds(),
        ...reduction.drawn(),
        ...(smoother && reduction.points > 0 && { smoothed: smoothed.drawn() }),
      };
    });
  }

  /** JSON, printed at once: the columns of many lines together are not kept. */
  print(): string {
    const { experimentId, seriesName, meta } = this.#partition;
    const identity = JSON.stringify({ experimentId, seriesName });
    const problem = this.#problem;
    const rest = JSON.stringify({
      points: 0,
      ...this.#drawn,
      ...(this.#unplaced > 0 && { unplaced: this.#unplaced }),
      ...(problem && { error: { code: problem.code, message: problem.message } }),
    });
    this.#drawn = {};
    return `${identity.slice(0, -1)},"metadata":${meta},${rest.slice(1)}`;
  }

  async #unlessDamaged<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#problem !== undefined) return undefined;
    try {
      return await work();
    } catch (error) {
      this.#problem = this.#damage(error);
      if (this.#problem === undefined) throw error;
      return undefined;
    }
  }
}

/** Blocks in pieces of at most one turn of the event loop, and a new turn after each full one. */
async function* inTurns(
  blocks: AsyncIterable<PlacedPoints> | Iterable<PlacedPoints>,
  products: number,
): AsyncGenerator<PlacedPoints> {
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
