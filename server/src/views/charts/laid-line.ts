import { limits } from "@lossless/protocol/limits";
import type { OverviewBody } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { combinePoints, type CombinedPoints } from "./combined-points.ts";
import { SourceLine, type Line } from "./line.ts";
import { PairedLine } from "./paired-line.ts";
import type { SelectedPartition, ViewContext } from "./selected-partitions.ts";

/**
 * Lays the points of partitions along the axis; points are read only for an axis of another metric,
 * and to combine two series.
 */
export async function layLines(
  partitions: readonly SelectedPartition[],
  xAxis: OverviewBody["xAxis"],
  damage: ViewContext["damage"],
): Promise<LaidLine[]> {
  const isPaired = xAxis === "metric";
  const paired = isPaired ? partitions : partitions.filter(({ combined }) => combined);
  if (paired.length > 0) requirePairable(paired);
  const lines = partitions.map((partition) => new LaidLine(partition, damage));
  for (const line of lines) await line.lay(xAxis);
  return lines;
}

/** One line of a reply. Damage is reported for it alone; the other lines are still given. */
export class LaidLine {
  /** Points without a partner. */
  unpaired = 0;
  /** Whether x counts steps. */
  isStep = false;
  /** Equal for equal lines; undefined where no state identifies the line. */
  state: string | undefined;
  readonly #partition: SelectedPartition;
  readonly #damage: ViewContext["damage"];
  #line: Line | undefined;
  #problem: ServiceError | undefined;
  #combined: Pick<CombinedPoints, "unpaired" | "nonfinite"> = { unpaired: 0, nonfinite: 0 };

  constructor(partition: SelectedPartition, damage: ViewContext["damage"]) {
    this.#partition = partition;
    this.#damage = damage;
    this.#problem = partition.problem;
  }

  /** Why it cannot be read. */
  get problem(): ServiceError | undefined {
    return this.#problem;
  }

  /** The line; undefined when it cannot be read. */
  get line(): Line | undefined {
    return this.#problem === undefined ? this.#line : undefined;
  }

  async lay(xAxis: OverviewBody["xAxis"]): Promise<void> {
    const { xSources, origin, combined } = this.#partition;
    let { sources } = this.#partition;
    this.isStep = xAxis === "step" || xAxis === "offset";
    const lineOf = () => new SourceLine(sources, this.isStep ? "step" : "timestamp", origin);
    this.#line = lineOf();
    if (combined !== undefined) {
      const { operator, sources: others } = combined;
      const points = await this.unlessDamaged(() => combinePoints(sources, others, operator));
      if (points === undefined) return;
      ({ sources } = points);
      this.#combined = { unpaired: points.unpaired, nonfinite: points.nonfinite };
      this.#line = lineOf();
    }
    if (xAxis !== "metric") {
      this.state = `${this.#partition.state} ${this.isStep} ${origin}`;
      return;
    }
    const paired = await this.unlessDamaged(() => PairedLine.read(sources, xSources));
    this.unpaired = paired?.unpaired ?? 0;
    this.#line = paired;
  }

  async unlessDamaged<Result>(work: (line: Line) => Promise<Result>): Promise<Result | undefined> {
    if (this.line === undefined) return undefined;
    try {
      return await work(this.line);
    } catch (error) {
      this.#problem = this.#damage(error);
      if (this.#problem === undefined) throw error;
      return undefined;
    }
  }

  /**
   * Returns the JSON: the names of the line, `given`, and its problem if it has one. Its points are
   * released.
   */
  print(given: string): string {
    const { experimentId, seriesName, meta, combined } = this.#partition;
    const told = combined && {
      combined: {
        operator: combined.operator,
        seriesName: combined.seriesName,
        ...this.#combined,
      },
    };
    const identity = JSON.stringify({ experimentId, seriesName, ...told });
    const problem = this.#problem;
    this.#line = undefined;
    const error =
      problem && `,"error":${JSON.stringify({ code: problem.code, message: problem.message })}`;
    return `${identity.slice(0, -1)},"metadata":${meta},${given.slice(1, -1)}${error ?? ""}}`;
  }
}

/**
 * Checks that the points can be paired: both series of each line are read whole, and put in order
 * in memory.
 */
function requirePairable(partitions: readonly SelectedPartition[]): void {
  const sources = partitions.flatMap(({ sources: own, xSources, combined }) => [
    ...own,
    ...xSources,
    ...(combined?.sources ?? []),
  ]);
  const points = sources.reduce((sum, { count }) => sum + count, 0);
  if (points <= limits.overviewPairedPointsMax) return;
  throw new ServiceError(
    "bad_request",
    `These series, and those along which they are drawn or with which they are combined, have ` +
      `${points} points; they may have ${limits.overviewPairedPointsMax} together. ` +
      "Ask for fewer series.",
  );
}
