import { limits } from "@lossless/protocol/limits";
import type { OverviewBody } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { SourceLine, type Line } from "./line.ts";
import { PairedLine } from "./paired-line.ts";
import type { SelectedPartition, ViewContext } from "./selected-partitions.ts";

/**
 * Lays the points of partitions along the axis; points are read only for an axis of another metric.
 */
export async function layLines(
  partitions: readonly SelectedPartition[],
  xAxis: OverviewBody["xAxis"],
  damage: ViewContext["damage"],
): Promise<LaidLine[]> {
  if (xAxis === "metric") requirePairable(partitions);
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
    const { sources, xSources, origin } = this.#partition;
    this.isStep = xAxis === "step" || xAxis === "offset";
    this.#line = new SourceLine(sources, this.isStep ? "step" : "timestamp", origin);
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
    const { experimentId, seriesName, meta } = this.#partition;
    const identity = JSON.stringify({ experimentId, seriesName });
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
  const sources = partitions.flatMap((one) => [...one.sources, ...one.xSources]);
  const points = sources.reduce((sum, { count }) => sum + count, 0);
  if (points <= limits.overviewPairedPointsMax) return;
  throw new ServiceError(
    "bad_request",
    `These series and those along which they are drawn have ${points} points; with the axis ` +
      `\`metric\` they may have ${limits.overviewPairedPointsMax} together. Ask for fewer series.`,
  );
}
