import type { Reader } from "../../database/database.ts";
import type { PointsReader } from "../summaries/lasts.ts";
import type { Tag } from "./change-folder.ts";
import { readLatest } from "./latest.ts";
import type { RunMetric } from "./metric.ts";
import { nameTag } from "./name.ts";
import { nativeParams, nativeTags, noteTag } from "./native.ts";
import { readInputs, type RunInputs } from "./read-inputs.ts";
import {
  artifactUriOf,
  endOf,
  folderIdOf,
  requireRun,
  runColumns,
  type RunRow,
  runTables,
  startOf,
  statusWord,
} from "./run-row.ts";

/** A run as MLflow's clients see it. */
export interface Run {
  id: string;
  folderId: string;
  name: string;
  user: string;
  status: string;
  startTime: number | null;
  endTime: number | null;
  artifactUri: string;
  isDeleted: boolean;
  params: Tag[];
  tags: Tag[];
  metrics: RunMetric[];
  inputs: RunInputs;
}

/** `run.read` */
export async function readRun(
  reader: Reader,
  { organizationId, runId }: { organizationId: string; runId: string },
  context: PointsReader,
): Promise<Run> {
  const row = await requireRun(reader, organizationId, runId);
  const [run] = await runsOf(reader, [row], context);
  return run;
}

/** Reads some runs of one organization, in the order of the given ids. */
export async function readRuns(
  reader: Reader,
  ids: readonly string[],
  context: PointsReader,
): Promise<Run[]> {
  if (ids.length === 0) return [];
  const rows = await reader.all<RunRow>(
    `SELECT ${runColumns} FROM ${runTables} WHERE ${reader.isOneOf("e.id", "$1")}`,
    JSON.stringify(ids),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return runsOf(
    reader,
    ids.flatMap((id) => byId.get(id) ?? []),
    context,
  );
}

async function runsOf(
  reader: Reader,
  rows: readonly RunRow[],
  context: PointsReader,
): Promise<Run[]> {
  const ids = rows.map(({ id }) => id);
  const attributes = await readAttributes(reader, rows);
  const latest = await readLatest(reader, rows, context);
  const inputs = await readInputs(reader, ids);
  return rows.map((row, at) => {
    return {
      id: row.id,
      folderId: folderIdOf(row),
      ...attributes[at],
      user: row.user_name ?? "",
      status: statusWord(row),
      startTime: startOf(row),
      endTime: endOf(row),
      artifactUri: artifactUriOf(row),
      isDeleted: row.deleted_at_ms !== null,
      metrics: [...(latest.get(row.id)?.values() ?? [])],
      inputs: inputs.get(row.id)!,
    };
  });
}

/** Reads the attributes of each row, in the given order. */
export async function readAttributes(
  reader: Reader,
  rows: readonly RunRow[],
): Promise<Pick<Run, "name" | "params" | "tags">[]> {
  const ids = rows.map(({ id }) => id);
  const params = await readPairs(reader, "run_param", ids);
  const tags = await readPairs(reader, "run_tag", ids);
  return rows.map((row) => {
    const own = tags.get(row.id) ?? [];
    const written = params.get(row.id) ?? [];
    return {
      name: own.find(({ key }) => key === nameTag)?.value ?? row.name ?? row.slug,
      params: [...written, ...nativeParams(row.meta, written)],
      tags: withNative(row, own),
    };
  });
}

/** Adds tags from the fields of an experiment of v2, where it has no such tags. */
function withNative({ slug, name, description, meta }: RunRow, tags: Tag[]): Tag[] {
  const own = [
    { key: nameTag, value: name === null ? slug : "" },
    { key: noteTag, value: description },
    ...[...nativeTags(meta)].map(([key, value]) => ({ key, value })),
  ];
  const missing = own.filter(
    ({ key, value }) => value !== "" && !tags.some((tag) => tag.key === key),
  );
  return [...tags, ...missing];
}

async function readPairs(
  reader: Reader,
  table: "run_param" | "run_tag",
  ids: readonly string[],
): Promise<Map<string, Tag[]>> {
  const rows = await reader.all<Tag & { experiment: string }>(
    `SELECT experiment, key, value FROM ${table} WHERE ${reader.isOneOf("experiment", "$1")}
     ORDER BY experiment, key`,
    JSON.stringify(ids),
  );
  const found = new Map<string, Tag[]>();
  for (const { experiment, key, value } of rows) {
    const own = found.get(experiment);
    if (own === undefined) found.set(experiment, [{ key, value }]);
    else own.push({ key, value });
  }
  return found;
}
