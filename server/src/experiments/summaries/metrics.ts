import type { Reader } from "../../database/database.ts";
import { readNumberedPartitions } from "../../points/dropped-partitions.ts";

/** Subject of a summary: a series' partitions together (meta ''), or one of them. */
export interface Metric {
  readonly name: string;
  readonly meta: string;
  /** Its number in `metric_name`, once known. */
  id: number | undefined;
  /** Whether the series has so many partitions that they lost their own summaries. */
  isDropped: boolean;
}

/** Series of more partitions have a summary of all together only. */
export const partitionsMax = 32;
/** Maximal meta of a partition with its own summary: a longer one would not fit an index. */
const metaBytesMax = 1_024;
/** Series of an experiment that have summaries: those that came first. */
const seriesMax = 10_000;
const rowsPerPage = 2_000;

interface NewPartition {
  partition: number;
  name: string;
  meta: string;
}

interface Series {
  together: readonly [Metric];
  partitions: number;
  /** Partitions of the series that have a summary of their own. */
  own: { number: number; metric: Metric }[] | undefined;
}

/**
 * The metrics of one experiment, by partition; deleted series have none. A cache of one
 * `metricsVersion`, within which partitions are only ever added.
 */
export class Metrics {
  readonly #experimentId: string;
  readonly #series = new Map<string, Series>();
  readonly #ofPartition: (readonly Metric[])[] = [];
  readonly #dropped = new Map<Metric, Metric[]>();

  constructor(experimentId: string) {
    this.#experimentId = experimentId;
  }

  /** Whether some partitions count for no metric. */
  get hasDropped(): boolean {
    return this.#ofPartition.some((metrics) => metrics.length === 0);
  }

  get partitions(): number {
    return this.#ofPartition.length;
  }

  /** Reads the partitions that were added. */
  async catchUp(reader: Reader): Promise<void> {
    for (let rows = rowsPerPage; rows === rowsPerPage;) {
      const page = await readNumberedPartitions(
        reader,
        this.#experimentId,
        this.partitions,
        rowsPerPage,
      );
      for (const { is_out: isOut, ...partition } of page) this.#add(partition, isOut === 1);
      rows = page.length;
    }
  }

  /** Returns the metrics for which a point of the partition counts. */
  of(partition: number): readonly Metric[] {
    const metrics = this.#ofPartition[partition];
    if (metrics === undefined) throw new Error(`BUG: there is no series of partition ${partition}`);
    return metrics;
  }

  /** Metrics of the series' partitions that may still have a summary and must not. */
  droppedOf(together: Metric): readonly Metric[] {
    return this.#dropped.get(together) ?? [];
  }

  /** Forgets the dropped metrics of a series, whose summaries are gone. */
  forgetDropped(together: Metric): void {
    this.#dropped.delete(together);
  }

  #add({ partition, name, meta }: NewPartition, isOut: boolean): void {
    if (partition !== this.partitions) {
      throw new Error(`BUG: partition ${partition} comes after ${this.partitions - 1}`);
    }
    if (isOut) return void this.#ofPartition.push([]);
    let series = this.#series.get(name);
    if (series === undefined) {
      if (this.#series.size === seriesMax) return void this.#ofPartition.push([]);
      series = { together: [newMetric(name, "")], partitions: 0, own: undefined };
      this.#series.set(name, series);
    }
    const { together } = series;
    const isOwn = series.partitions <= partitionsMax && hasOwnSummary(meta);
    if (isOwn) {
      const metric = newMetric(name, meta);
      (series.own ??= []).push({ number: partition, metric });
      this.#ofPartition.push([...together, metric]);
    } else this.#ofPartition.push(together);
    if (series.partitions++ === partitionsMax) this.#drop(series);
  }

  #drop(series: Series): void {
    const { together, own = [] } = series;
    series.own = undefined;
    for (const { number, metric } of own) {
      metric.isDropped = true;
      this.#ofPartition[number] = together;
    }
    this.#dropped.set(
      together[0],
      own.map(({ metric }) => metric),
    );
  }
}

function newMetric(name: string, meta: string): Metric {
  return { name, meta, id: undefined, isDropped: false };
}

export function hasOwnSummary(meta: string): boolean {
  return meta !== "{}" && Buffer.byteLength(meta) <= metaBytesMax;
}
