import { setImmediate } from "node:timers/promises";
import type { Reader } from "../../database/database.ts";
import type { Cell, ColumnDefinition } from "../../ground/parquet/column.ts";
import { ParquetFile } from "../../ground/parquet/parquet-file.ts";
import { annotationColumns, annotationPages } from "./annotation-rows.ts";
import { createdBy } from "./created-by.ts";
import { type ExportChoice, findExported } from "./exported-experiments.ts";
import { lineageColumns, lineagePages } from "./lineage-rows.ts";
import { type TimedChunks, timedChunks } from "./timed-chunks.ts";

interface RowsFile {
  columns: readonly ColumnDefinition[];
  /** Yields rows of one experiment. */
  pages: (reader: Reader, experimentId: string) => AsyncGenerator<readonly (readonly Cell[])[]>;
}

const files = {
  annotations: { columns: annotationColumns, pages: annotationPages },
  lineage: { columns: lineageColumns, pages: lineagePages },
} satisfies Record<string, RowsFile>;

/**
 * `views/annotations.parquet` and `lineage.parquet`: the number of experiments, then the file with
 * the rows of each in turn, all of one moment.
 */
export async function openRowsFile(
  reader: Reader,
  { of, ...choice }: { of: keyof typeof files } & ExportChoice,
  nowMs: number,
): Promise<TimedChunks> {
  const ids = await findExported(reader, choice, nowMs);
  return timedChunks(ids, rowChunks(reader, ids, files[of]));
}

async function* rowChunks(
  reader: Reader,
  ids: readonly string[],
  { columns, pages }: RowsFile,
): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(String(ids.length));
  const file = new ParquetFile(columns, createdBy);
  yield file.head();
  for (const id of ids)
    for await (const rows of pages(reader, id)) {
      for (const row of rows) {
        for (const [at, cell] of row.entries()) file.columns[at].add(cell);
        if (file.isFull) yield* file.group();
      }
      await setImmediate();
    }
  yield* file.group();
  yield file.foot();
}
