import type { Field, FieldsBody, FieldsReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { QueryError } from "@lossless/protocol/query-error";
import { fieldText, parseField } from "@lossless/protocol/query-field";
import { valueText } from "@lossless/protocol/query-value";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { readFolderOrder } from "./folder-order.ts";
import { metaPath, readNames } from "./known-names.ts";
import { isLike } from "./like.ts";
import { SqlText } from "./sql-text.ts";
import { type CellValue, type ConfigRow, configValue } from "./table-rows.ts";

export interface ReadFields {
  organizationId: string;
  body: FieldsBody;
}

/** `views/fields`: names of metas and metrics, or the values of a field. */
export async function readFields(
  reader: Reader,
  { organizationId, body }: ReadFields,
  text: ReplyText,
): Promise<void> {
  const { field, text: contained = "", limit = limits.fieldsReturnedMax } = body;
  const wanted = { organizationId, contained, limit };
  const fields = field === undefined ? await readKnownFields(reader, wanted) : [];
  const values = field === undefined ? [] : await readValues(reader, wanted, fieldIn(field));
  const reply: FieldsReply = {
    fields: fields.slice(0, limit),
    values: values.slice(0, limit),
    isWhole: Math.max(fields.length, values.length) <= limit,
  };
  await text.add(JSON.stringify(reply));
}

interface Wanted {
  organizationId: string;
  contained: string;
  limit: number;
}

/** Names are compared as they are spelled; those that begin with the text come first. */
async function readKnownFields(
  reader: Reader,
  { organizationId, contained, limit }: Wanted,
): Promise<FieldsReply["fields"]> {
  const text = new SqlText();
  const organization = text.bind(organizationId);
  const known = `SELECT 'meta.' || path AS field, id, 1 AS of_meta FROM config_key WHERE organization = ${organization}
    UNION ALL
    SELECT 'metric.' || name, id, 0 FROM metric_name WHERE organization = ${organization} AND meta = ''`;
  const begins = text.like("field", `${contained}*`);
  const rows = await reader.composed<{ field: string; experiments: number; of_meta: number }>(
    `SELECT field, of_meta, CASE WHEN of_meta = 1
        THEN (SELECT count(*) FROM config_value WHERE key = found.id AND element = -1)
        ELSE (SELECT count(*) FROM metric_summary WHERE metric = found.id) END AS experiments
     FROM (SELECT field, id, of_meta FROM (${known}) AS known WHERE ${text.like("field", contained)}
       ORDER BY CASE WHEN ${begins} THEN 0 ELSE 1 END, field LIMIT ${text.number(limit + 1)}) AS found
     ORDER BY CASE WHEN ${begins} THEN 0 ELSE 1 END, field`,
    ...text.values,
  );
  return rows.map(({ field, of_meta: ofMeta, experiments }) => ({
    field: ofMeta === 1 ? field : metricText(field.slice("metric.".length)),
    experiments,
  }));
}

function metricText(name: string): string {
  return fieldText({ kind: "metric", name, stat: "last" });
}

async function readValues(
  reader: Reader,
  wanted: Wanted,
  field: Field,
): Promise<FieldsReply["values"]> {
  const path = metaPath(field);
  const rows =
    path === undefined
      ? await readOwnValues(reader, wanted, field)
      : await readMetaValues(reader, wanted, path);
  return rows.map(({ value, experiments }) => ({ value, text: spelled(value), experiments }));
}

interface Counted {
  value: CellValue;
  experiments: number;
}

/** Elements of lists are values, lists are not. */
async function readMetaValues(
  reader: Reader,
  { organizationId, contained, limit }: Wanted,
  path: readonly string[],
): Promise<Counted[]> {
  const names = await readNames(reader, organizationId, [{ kind: "meta", path }]);
  const key = names.key(path);
  if (key === undefined) return [];
  const text = new SqlText();
  const rows = await reader.composed<ConfigRow & { experiments: number }>(
    `SELECT kind, number, text, count(DISTINCT experiment) AS experiments FROM config_value
     WHERE key = ${text.bind(key)} AND kind <= 3 AND ${text.like("text", contained)}
     GROUP BY kind, number, text ORDER BY experiments DESC, kind, number, text LIMIT ${text.number(limit + 1)}`,
    ...text.values,
  );
  return rows.map(({ experiments, ...row }) => ({ value: configValue(row), experiments }));
}

async function readOwnValues(reader: Reader, wanted: Wanted, field: Field): Promise<Counted[]> {
  if (field.kind === "own" && field.name === "folder") return readFolderValues(reader, wanted);
  if (field.kind === "own" && field.name === "artifact") return readArtifactValues(reader, wanted);
  throw new ServiceError(
    "bad_request",
    "field: values are listed of fields of meta, and of name, tag, group, folder and artifact.",
  );
}

async function readFolderValues(
  reader: Reader,
  { organizationId, contained, limit }: Wanted,
): Promise<Counted[]> {
  const rows = await reader.all<{ folder: string; experiments: number }>(
    `SELECT folder, count(*) AS experiments FROM experiment
     WHERE organization = $1 AND folder IS NOT NULL GROUP BY folder`,
    organizationId,
  );
  const counts = new Map(rows.map(({ folder, experiments }) => [folder, experiments]));
  const folders = await readFolderOrder(reader, organizationId);
  const most = folders.ids
    .filter((id) => counts.has(id))
    .toSorted((left, right) => counts.get(right)! - counts.get(left)!);
  const found: Counted[] = [];
  for (const id of most) {
    const value = folders.pathOf(id);
    if (isLike(value, contained)) found.push({ value, experiments: counts.get(id)! });
    if (found.length > limit) break;
  }
  return found;
}

async function readArtifactValues(
  reader: Reader,
  { organizationId, contained, limit }: Wanted,
): Promise<Counted[]> {
  const text = new SqlText();
  const organization = text.bind(organizationId);
  return reader.composed<{ value: string; experiments: number }>(
    `SELECT artifact.path AS value, count(DISTINCT written.experiment) AS experiments
     FROM version_experiment AS written JOIN artifact ON artifact.id = written.artifact
     WHERE written.organization = ${organization} AND ${text.like("path", contained)}
     GROUP BY path ORDER BY experiments DESC, value LIMIT ${text.number(limit + 1)}`,
    ...text.values,
  );
}

function fieldIn(text: string): Field {
  try {
    return parseField(text);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new ServiceError("bad_request", `field: ${error.message}.`);
  }
}

/** Numbers are written without a sign before their exponent's digits or with one, as they are. */
export function spelled(value: CellValue): string {
  return typeof value === "string" ? valueText({ kind: "text", text: value }) : String(value);
}
