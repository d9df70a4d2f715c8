import { setImmediate } from "node:timers/promises";
import { totalLines } from "../../console/read.ts";
import { type ConsoleContext, type Stretch, stretchesFrom } from "../../console/stretches.ts";
import type { Reader } from "../../database/database.ts";
import type { ColumnDefinition } from "../../ground/parquet/column.ts";
import { ParquetFile } from "../../ground/parquet/parquet-file.ts";
import { createdBy } from "./created-by.ts";
import { type ExportChoice, findExported } from "./exported-experiments.ts";

/** The context of the reader thread. */
export interface LinesFileContext {
  read: <Result>(work: (reader: Reader) => Promise<Result>) => Promise<Result>;
  consoles: ConsoleContext;
  nowMs: number;
}

const columns: readonly ColumnDefinition[] = [
  { name: "experimentId", type: "text" },
  { name: "slug", type: "text" },
  { name: "line", type: "int64" },
  { name: "sourceId", type: "text" },
  { name: "rank", type: "int64", isOptional: true },
  { name: "timestampMs", type: "int64" },
  { name: "stream", type: "text" },
  { name: "text", type: "text" },
];
/** Bytes of texts in memory at once. */
const textBytesMax = 4 * 1_048_576;

/**
 * `views/lines.parquet`: a chunk with the number of experiments, then the file: experiment by
 * experiment the lines that its console has when its turn comes, in their order.
 */
export async function* linesFile(
  choice: ExportChoice,
  { read, consoles, nowMs }: LinesFileContext,
): AsyncGenerator<Uint8Array> {
  const ids = await read((reader) => findExported(reader, choice, nowMs));
  yield new TextEncoder().encode(String(ids.length));
  const file = new ParquetFile(columns, createdBy);
  yield file.head();
  for (const experimentId of ids) {
    const opened = await read((reader) => openConsole(reader, experimentId));
    for (let next = 0; opened !== undefined && next < opened.total;) {
      const some = await read((reader) => stretchesAt(reader, consoles, experimentId, next));
      // It was deleted meanwhile.
      if (some.length === 0) break;
      for (const stretch of some) {
        yield* stretchRows(file, opened, stretch, next);
        next = stretch.first + stretch.lines.count;
        await setImmediate();
      }
    }
  }
  yield* file.group();
  yield file.foot();
}

interface OpenedConsole {
  experimentId: string;
  slug: string;
  total: number;
  sources: ReadonlyMap<number, { id: string; rank: number | null }>;
}

async function openConsole(
  reader: Reader,
  experimentId: string,
): Promise<OpenedConsole | undefined> {
  const row = await reader.get<{ slug: string }>(
    "SELECT slug FROM experiment WHERE id = $1 AND trashed_at_ms IS NULL",
    experimentId,
  );
  if (row === undefined) return undefined;
  const rows = await reader.all<{ number: number; id: string; about: string }>(
    "SELECT number, id, about FROM console_source WHERE experiment = $1",
    experimentId,
  );
  const sources = rows.map(
    ({ number, id, about }): [number, { id: string; rank: number | null }] => {
      const { rank = null } = JSON.parse(about) as { rank?: number };
      return [number, { id, rank }];
    },
  );
  const total = await totalLines(reader, experimentId);
  return { experimentId, slug: row.slug, total, sources: new Map(sources) };
}

async function stretchesAt(
  reader: Reader,
  consoles: ConsoleContext,
  experimentId: string,
  from: number,
): Promise<Stretch[]> {
  const some: Stretch[] = [];
  let bytes = 0;
  for await (const stretch of stretchesFrom(reader, consoles, experimentId, from)) {
    some.push(stretch);
    bytes += stretch.lines.text.length;
    if (bytes >= textBytesMax) break;
  }
  return some;
}

function* stretchRows(
  file: ParquetFile,
  { experimentId, slug, total, sources }: OpenedConsole,
  { first, lines }: Stretch,
  from: number,
): Generator<Uint8Array> {
  for (let at = Math.max(0, from - first); at < lines.count && first + at < total; at++) {
    const { source, timestampMs, stream, text } = lines.line(at);
    const { id, rank } = sources.get(source)!;
    const cells = [experimentId, slug, first + at, id, rank, timestampMs, stream, text];
    for (const [column, cell] of cells.entries()) file.columns[column].add(cell);
    if (file.isFull) yield* file.group();
  }
}
