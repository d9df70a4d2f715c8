import type { Reader } from "../../database/database.ts";
import { type PointSource, searchPoints } from "../../points/search.ts";
import type { PointsReader } from "../summaries/lasts.ts";
import { presentRuns, type RunHistory } from "./histories.ts";
import { regularSources } from "./history.ts";
import { metricOf, type StoredMetric } from "./log.ts";
import { compareValues, type RunMetric, storedInteger } from "./metric.ts";
import { readNativeNonfinite } from "./native-nonfinite.ts";

export interface SampleHistories {
  organizationId: string;
  runIds: string[];
  key: string;
  /** The most of each run. */
  limit: number;
  /** Range of steps, both ends inclusive. */
  steps: { from: bigint; to: bigint };
}

/**
 * `run.sampledHistories`: returns for each run at most the given number of values, evenly chosen,
 * with the first and the last among them. Ordered by step, time and value; none is computed.
 */
export async function sampleHistories(
  reader: Reader,
  { organizationId, runIds, ...wanted }: SampleHistories,
  context: PointsReader,
): Promise<RunHistory[]> {
  const found: RunHistory[] = [];
  for (const runId of await presentRuns(reader, organizationId, runIds)) {
    const all = await regularSources(reader, { organizationId, runId, key: wanted.key }, context);
    const sources = all.filter(
      ({ min, max }) =>
        BigInt(max.step) >= wanted.steps.from && BigInt(min.step) <= wanted.steps.to,
    );
    const native = (await readNativeNonfinite(reader, runId, wanted.key)).sort(compare);
    const history = new StepHistory(reader, { runId, ...wanted }, sources, native);
    found.push({ runId, ...columnsOf(await history.sample(wanted.limit)) });
  }
  return found;
}

/** Places of at most `most` of `total` in order: even, the last always, and the first before it. */
export function chosenPlaces(total: number, most: number): number[] {
  if (total <= most) return Array.from({ length: total }, (_, at) => at);
  // As equal buckets, the larger ones first; of each its first.
  const size = Math.floor(total / most);
  const larger = total % most;
  const chosen = Array.from({ length: most }, (_, at) => at * size + Math.min(at, larger));
  chosen[most - 1] = total - 1;
  return chosen;
}

/** A history by step, read in blocks: a run's length is not held in memory. */
class StepHistory {
  readonly #reader: Reader;
  readonly #wanted: { runId: string; key: string; steps: SampleHistories["steps"] };
  readonly #sources: PointSource[];
  /** Values in MLflow's own rows, in the order of the history. */
  readonly #native: RunMetric[];

  constructor(
    reader: Reader,
    wanted: { runId: string; key: string; steps: SampleHistories["steps"] },
    sources: PointSource[],
    native: RunMetric[],
  ) {
    this.#reader = reader;
    this.#wanted = wanted;
    this.#sources = sources;
    this.#native = native.filter(({ step }) => this.#isWanted(step));
  }

  async sample(most: number): Promise<RunMetric[]> {
    const chosen = chosenPlaces(await this.#count(), most);
    const found: RunMetric[] = [];
    let at = 0;
    for await (const metric of this.#merged()) {
      if (at++ === chosen[found.length]) found.push(metric);
      if (found.length === chosen.length) break;
    }
    return found;
  }

  async #count(): Promise<number> {
    const { runId, key, steps } = this.#wanted;
    const row = await this.#reader.get<{ points: number }>(
      `SELECT count(*) AS points FROM run_point
       WHERE experiment = $1 AND key = $2 AND step >= $3 AND step <= $4 AND trashed = 0`,
      runId,
      key,
      storedInteger(steps.from),
      storedInteger(steps.to),
    );
    let count = row!.points + this.#native.length;
    for (const source of this.#sources) {
      if (this.#isWanted(source.min.step) && this.#isWanted(source.max.step)) count += source.count;
      else for (const step of (await source.read()).step) count += this.#isWanted(step) ? 1 : 0;
    }
    return count;
  }

  #isWanted(step: number | bigint): boolean {
    const { from, to } = this.#wanted.steps;
    return step >= from && step <= to;
  }

  async *#merged(): AsyncGenerator<RunMetric> {
    yield* merged(this.#regular(), merged(this.#irregular(), this.#native));
  }

  async *#regular(): AsyncGenerator<RunMetric> {
    const { key } = this.#wanted;
    for await (const { value, timestamp, step } of searchPoints(this.#sources, "step")) {
      // Points of one step and time are never parted by a block.
      const block: RunMetric[] = [];
      for (let at = 0; at < step.length; at++) {
        if (!this.#isWanted(step[at])) continue;
        block.push({
          key,
          value: value[at],
          timestamp: BigInt(timestamp[at]),
          step: BigInt(step[at]),
        });
      }
      yield* block.sort(compare);
    }
  }

  async *#irregular(): AsyncGenerator<RunMetric> {
    const { runId, key, steps } = this.#wanted;
    let after = [storedInteger(steps.from), "", -9, 0] as [string, string, number, number];
    for (;;) {
      const rows = await this.#reader.all<StoredMetric>(
        `SELECT key, kind, value, timestamp, step FROM run_point
         WHERE experiment = $1 AND key = $2 AND step <= $3 AND trashed = 0
           AND (step, timestamp, kind, value) > ($4, $5, CAST($6 AS INTEGER), CAST($7 AS DOUBLE PRECISION))
         ORDER BY step, timestamp, kind, value LIMIT ${pageRows}`,
        runId,
        key,
        storedInteger(steps.to),
        ...after,
      );
      yield* rows.map(metricOf);
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      after = [last.step, last.timestamp, last.kind, last.value];
    }
  }
}

/** Merges two ordered sequences; of equal values those of the first come first. */
async function* merged(
  ones: AsyncIterable<RunMetric>,
  others: AsyncIterable<RunMetric> | Iterable<RunMetric>,
): AsyncGenerator<RunMetric> {
  const rest = (async function* () {
    yield* others;
  })();
  let other = await rest.next();
  for await (const metric of ones) {
    for (; !other.done && compare(other.value, metric) < 0; other = await rest.next())
      yield other.value;
    yield metric;
  }
  for (; !other.done; other = await rest.next()) yield other.value;
}

const pageRows = 10_000;

function compare(one: RunMetric, other: RunMetric): number {
  if (one.step !== other.step) return one.step < other.step ? -1 : 1;
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  return compareValues(one.value, other.value);
}

function columnsOf(metrics: readonly RunMetric[]): Omit<RunHistory, "runId"> {
  return {
    value: Float64Array.from(metrics, ({ value }) => value),
    timestamp: BigInt64Array.from(metrics, ({ timestamp }) => timestamp),
    step: BigInt64Array.from(metrics, ({ step }) => step),
  };
}
