import { setImmediate } from "node:timers/promises";
import type { Reader } from "../../database/database.ts";
import { recordColumns, type RecordRow } from "../../experiments/record.ts";
import type { Cell, ColumnDefinition } from "../../ground/parquet/column.ts";
import { ParquetFile } from "../../ground/parquet/parquet-file.ts";
import { beganAtMs, endedAtMs } from "../../experiments/summaries/training-time.ts";
import type { RunAttribute } from "../../experiments/summaries/config.ts";
import { readAttributeLeaves } from "../../experiments/summaries/config-index.ts";
import { FolderOrder, readFolderOrder } from "../table/folder-order.ts";
import { createdBy } from "./created-by.ts";
import { type ExportChoice, findExported } from "./exported-experiments.ts";
import { metaCells, MetaColumns } from "./meta-columns.ts";
import { type TimedChunks, timedChunks } from "./timed-chunks.ts";

const experimentsPerPage = 200;

const ownColumns = [
  { name: "experimentId", type: "text" },
  { name: "slug", type: "text" },
  { name: "description", type: "text" },
  { name: "folder", type: "text", isOptional: true },
  { name: "status", type: "text" },
  { name: "error", type: "text", isOptional: true },
  { name: "errorMeta", type: "text", isOptional: true },
  { name: "createdAtMs", type: "int64" },
  { name: "updatedAtMs", type: "int64" },
  { name: "startedAtMs", type: "int64", isOptional: true },
  { name: "doneAtMs", type: "int64", isOptional: true },
  { name: "errorAtMs", type: "int64", isOptional: true },
  { name: "beganAtMs", type: "int64" },
  { name: "endedAtMs", type: "int64", isOptional: true },
  { name: "points", type: "int64" },
  { name: "meta", type: "text" },
] as const satisfies readonly ColumnDefinition[];

/** `views/experiments.parquet`: the number of rows, then the file, all of one moment. */
export async function openExperimentsFile(
  reader: Reader,
  choice: ExportChoice,
  nowMs: number,
): Promise<TimedChunks> {
  const ids = await findExported(reader, choice, nowMs);
  return timedChunks(ids, experimentChunks(reader, ids));
}

async function* experimentChunks(
  reader: Reader,
  ids: readonly string[],
): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(String(ids.length));
  const keys = new MetaColumns();
  for await (const rows of experimentPages(reader, ids))
    for (const row of rows) keys.add(row.meta, await attributesOf(reader, row));
  const metas = keys.definitions();
  const file = new ParquetFile([...ownColumns, ...metas], createdBy);
  yield file.head();
  const folders = await foldersOf(reader, ids);
  for await (const rows of experimentPages(reader, ids))
    for (const row of rows) {
      const attributes = await attributesOf(reader, row);
      const cells = [...ownCells(row, folders), ...metaCells(row.meta, attributes, metas)];
      for (const [at, cell] of cells.entries()) file.columns[at].add(cell);
      if (file.isFull) yield* file.group();
    }
  yield* file.group();
  yield file.foot();
}

type Row = RecordRow & {
  began_at_ms: number;
  ended_at_ms: number | null;
  points: number;
  has_attributes: number;
};

/** In the order of the ids. */
async function* experimentPages(
  reader: Reader,
  ids: readonly string[],
): AsyncGenerator<readonly Row[]> {
  for (let at = 0; at < ids.length; at += experimentsPerPage) {
    const page = ids.slice(at, at + experimentsPerPage);
    const rows = await reader.all<Row>(
      `SELECT ${recordColumns}, ${beganAtMs} AS began_at_ms, ${endedAtMs} AS ended_at_ms, h.points,
         CASE WHEN EXISTS (SELECT 1 FROM run_param WHERE run_param.experiment = e.id)
                OR EXISTS (SELECT 1 FROM run_tag WHERE run_tag.experiment = e.id)
           THEN 1 ELSE 0 END AS has_attributes
       FROM experiment e JOIN head h ON h.experiment = e.id
         JOIN summarized z ON z.experiment = e.id LEFT JOIN run r ON r.experiment = e.id
       WHERE e.trashed_at_ms IS NULL AND ${reader.isOneOf("e.id", "$1")}`,
      JSON.stringify(page),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    yield page.flatMap((id) => byId.get(id) ?? []);
    await setImmediate();
  }
}

/**
 * Reads the attributes of each experiment on its own: the number and length of params have no
 * limit.
 */
async function attributesOf(reader: Reader, row: Row): Promise<readonly RunAttribute[]> {
  if (row.has_attributes === 0) return [];
  return (await readAttributeLeaves(reader, [row.id])).get(row.id) ?? [];
}

async function foldersOf(reader: Reader, [first]: readonly string[]): Promise<FolderOrder> {
  if (first === undefined) return new FolderOrder([]);
  const row = await reader.get<{ organization: string }>(
    "SELECT organization FROM experiment WHERE id = $1",
    first,
  );
  return readFolderOrder(reader, row!.organization);
}

function ownCells(row: Row, folders: FolderOrder): Cell[] {
  const folder = row.folder === null ? null : folders.pathOf(row.folder);
  const { id, slug, description, status, error, error_meta: errorMeta, meta, points } = row;
  const texts = [id, slug, description, folder, status, error, errorMeta];
  const times = [row.created_at_ms, row.updated_at_ms, row.started_at_ms, row.done_at_ms];
  const training = [row.began_at_ms, row.ended_at_ms];
  return [...texts, ...times, row.error_at_ms, ...training, points, meta];
}
