import { setImmediate } from "node:timers/promises";
import type { FilterPredicate } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import type { ColumnDefinition } from "../../ground/parquet/column.ts";
import { ParquetFile } from "../../ground/parquet/parquet-file.ts";
import { type PointSource, searchPoints } from "../../points/search.ts";
import { slice } from "../../points/sorted-points.ts";
import type { Points } from "../../points/tail.ts";
import { matchingSeries } from "../../experiments/series/matching-series.ts";
import { createdBy } from "./created-by.ts";
import { type ExportChoice, findExported } from "./exported-experiments.ts";

export interface PointsFileRead extends ExportChoice {
  /** Series to export; every series when absent. */
  seriesNames?: readonly string[];
  filter: readonly FilterPredicate[];
}

/** The context of the reader thread. */
export interface PointsFileContext {
  /** Each read is one moment. */
  read: <Result>(work: (reader: Reader) => Promise<Result>) => Promise<Result>;
  snapshots: {
    take(reader: Reader, experimentId: string, partitions: Iterable<number>): Promise<Snapshot>;
  };
  nowMs: number;
}

interface Snapshot {
  sources(partition: number): PointSource[];
}

const columns: readonly ColumnDefinition[] = [
  { name: "experimentId", type: "text" },
  { name: "slug", type: "text" },
  { name: "seriesName", type: "text" },
  { name: "metadata", type: "text" },
  { name: "step", type: "int64" },
  { name: "timestampMs", type: "int64" },
  { name: "value", type: "double" },
];

/**
 * `views/points.parquet`: a chunk with the number of experiments, then the file: experiment by
 * experiment, each of the moment at which its turn comes, its series by name, the points of each
 * partition by step. One that is deleted meanwhile is left out.
 */
export async function* pointsFile(
  { seriesNames, filter, ...choice }: PointsFileRead,
  { read, snapshots, nowMs }: PointsFileContext,
): AsyncGenerator<Uint8Array> {
  const ids = await read((reader) => findExported(reader, choice, nowMs));
  yield new TextEncoder().encode(String(ids.length));
  const file = new ParquetFile(columns, createdBy);
  yield file.head();
  const names = seriesNames && [...seriesNames];
  const { organizationId } = choice;
  for (const experimentId of ids) {
    const selection = { organizationId, experimentId, seriesNames: names, filter };
    const opened = await read((reader) => openExperiment(reader, snapshots, selection));
    for (const { sources, ...partition } of opened)
      yield* partitionRows(file, partition, sources());
  }
  yield* file.group();
  yield file.foot();
}

interface Partition {
  experimentId: string;
  slug: string;
  seriesName: string;
  /** JSON, as it is stored. */
  meta: string;
}

async function openExperiment(
  reader: Reader,
  snapshots: PointsFileContext["snapshots"],
  selection: Parameters<typeof matchingSeries>[1],
): Promise<(Partition & { sources: () => PointSource[] })[]> {
  const { organizationId, experimentId } = selection;
  const row = await reader.get<{ slug: string }>(
    "SELECT slug FROM experiment WHERE id = $1 AND organization = $2 AND trashed_at_ms IS NULL",
    experimentId,
    organizationId,
  );
  if (row === undefined) return [];
  const series = await matchingSeries(reader, selection);
  const partitions = series.flatMap((one) =>
    one.partitions.map((partition) => ({ ...partition, seriesName: one.name })),
  );
  const numbers = partitions.map(({ number }) => number);
  const snapshot = await snapshots.take(reader, experimentId, numbers);
  return partitions.map(({ number, meta, seriesName }) => ({
    experimentId,
    slug: row.slug,
    seriesName,
    meta,
    // Made when its turn comes: an experiment may have many.
    sources: () => snapshot.sources(number),
  }));
}

async function* partitionRows(
  file: ParquetFile,
  { experimentId, slug, seriesName, meta }: Partition,
  sources: PointSource[],
): AsyncGenerator<Uint8Array> {
  for await (const block of searchPoints(sources, "step")) {
    let at = 0;
    while (at < block.step.length) {
      const rows = slice(block, at, Math.min(block.step.length, at + file.room));
      addRows(file, [experimentId, slug, seriesName, meta], rows);
      at += rows.step.length;
      if (file.isFull) yield* file.group();
    }
    await setImmediate();
  }
}

function addRows({ columns: all }: ParquetFile, texts: readonly string[], rows: Points): void {
  for (const [at, text] of texts.entries()) all[at].add(text, rows.step.length);
  for (const [at, numbers] of [rows.step, rows.timestamp, rows.value].entries())
    all[texts.length + at].addNumbers(numbers);
}
