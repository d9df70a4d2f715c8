import { join } from "node:path";
import {
  type ExportSelection,
  IncompleteStreamError,
  isTransient,
  type LosslessClient,
} from "@lossless/client";
import { writeAtomically, type WriteOptions } from "./write-atomically.ts";

const attemptsMax = 3;

/** Selected experiments, and the series whose points are written; undefined: all. */
export interface ParquetSelection extends ExportSelection {
  seriesNames?: readonly string[];
}

/** Writes the five files of the selected experiments, and returns their paths. */
export async function writeParquetFiles(
  client: LosslessClient,
  { seriesNames, ...selection }: ParquetSelection,
  directory: string,
  options: WriteOptions,
): Promise<string[]> {
  const series = seriesNames === undefined ? {} : { seriesNames };
  const files = {
    "points.parquet": () => client.exports.points({ ...selection, ...series }),
    "experiments.parquet": () => client.exports.experiments(selection),
    "annotations.parquet": () => client.exports.annotations(selection),
    "lineage.parquet": () => client.exports.lineage(selection),
    "lines.parquet": () => client.exports.lines(selection),
  };
  const written: string[] = [];
  for (const [name, open] of Object.entries(files)) {
    const file = join(directory, name);
    await untilWhole(() => writeAtomically(file, open(), options));
    written.push(file);
  }
  return written;
}

/** Repeats work after a broken stream: a failed attempt leaves nothing behind. */
export async function untilWhole<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const mayRetry = isTransient(error) || error instanceof IncompleteStreamError;
      if (!mayRetry || attempt === attemptsMax) throw error;
    }
  }
}
