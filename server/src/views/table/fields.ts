import type { Field, FieldsBody, FieldsReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { type NamePattern, nameTest, readNameSearch } from "@lossless/protocol/name-search";
import { QueryError } from "@lossless/protocol/query-error";
import { fieldText, parseField } from "@lossless/protocol/query-field";
import { valueText } from "@lossless/protocol/query-value";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { readFolderOrder } from "./folder-order.ts";
import { metaPath, readNames } from "./known-names.ts";
import { WholePaths } from "../../ground/text-pattern.ts";
import { SqlText } from "./sql-text.ts";
import { readWords } from "./read-words.ts";
import { hasDeletedExperiments } from "./table.ts";
import { type CellValue, type ConfigRow, configValue } from "./table-rows.ts";
import { readNear } from "./unknown-fields.ts";

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
  const search = readWords("text", () => readNameSearch(contained));
  const wanted = { organizationId, search, contained, limit };
  const reply: FieldsReply = { fields: [], values: [], isWhole: true };
  if (field === undefined) {
    const fields = await readKnownFields(reader, wanted);
    reply.fields = fields.slice(0, limit);
    reply.isWhole = fields.length <= limit;
    const isNear = body.near === true && fields.length === 0;
    if (isNear) reply.near = await readNear(reader, organizationId, contained.trim());
  } else {
    const { rows, isAll } = await readValues(reader, wanted, fieldIn(field));
    reply.values = rows.slice(0, limit).map(({ value, experiments }) => {
      return { value, text: spelled(value), experiments, isMinimum: !isAll };
    });
    reply.isWhole = isAll && rows.length <= limit;
  }
  await text.add(JSON.stringify(reply));
}

interface FieldsSearch {
  organizationId: string;
  search: readonly NamePattern[];
  contained: string;
  limit: number;
}

/**
 * Reads the names that fit a text, compared with their case; those that begin with the text come
 * first.
 */
async function readKnownFields(
  reader: Reader,
  { organizationId, search, contained, limit }: FieldsSearch,
): Promise<FieldsReply["fields"]> {
  const text = new SqlText();
  const organization = text.bind(organizationId);
  const left = await leftOut(reader, organizationId, text);
  const known = `SELECT 'meta.' || path AS field, path AS name, id, 1 AS of_meta FROM config_key WHERE organization = ${organization}
    UNION ALL
    SELECT 'metric.' || name, name, id, 0 FROM metric_name WHERE organization = ${organization} AND meta = ''`;
  const counted = text.number(limits.fieldExperimentsMax + 1);
  const isNamed = ["field", "name"]
    .map((column) => text.isNamed(reader, column, search))
    .join(" OR ");
  const begins = text.like(reader, "field", `${contained}*`);
  const rows = await reader.composed<{ field: string; experiments: number; of_meta: number }>(
    `SELECT field, of_meta, CASE WHEN of_meta = 1
        THEN (SELECT count(*) FROM (SELECT 1 FROM config_value
          WHERE key = found.id AND element = -1${left} LIMIT ${counted}) AS first)
        ELSE (SELECT count(*) FROM (SELECT 1 FROM metric_summary
          WHERE metric = found.id${left} LIMIT ${counted}) AS first) END AS experiments
     FROM (SELECT field, id, of_meta FROM (${known}) AS known WHERE ${isNamed}
       ORDER BY CASE WHEN ${begins} THEN 0 ELSE 1 END, field LIMIT ${text.number(limit + 1)}) AS found
     ORDER BY CASE WHEN ${begins} THEN 0 ELSE 1 END, field`,
    ...text.values,
  );
  return rows.map(({ field, of_meta: ofMeta, experiments }) => ({
    field: ofMeta === 1 ? field : metricText(field.slice("metric.".length)),
    experiments: Math.min(experiments, limits.fieldExperimentsMax),
    isMinimum: experiments > limits.fieldExperimentsMax,
  }));
}

/**
 * Returns the experiments to leave out: summaries and leaves of trash stay until it is purged, and
 * are not counted.
 */
async function leftOut(reader: Reader, organizationId: string, text: SqlText): Promise<string> {
  if (!(await hasDeletedExperiments(reader, organizationId))) return "";
  return ` AND experiment NOT IN (SELECT id FROM experiment
    WHERE organization = ${text.bind(organizationId)} AND trashed_at_ms IS NOT NULL)`;
}

function metricText(name: string): string {
  return fieldText({ kind: "metric", name, stat: "last" });
}

async function readValues(reader: Reader, wanted: FieldsSearch, field: Field): Promise<Values> {
  const path = metaPath(field);
  if (path !== undefined) return readMetaValues(reader, wanted, path);
  return { rows: await readOwnValues(reader, wanted, field), isAll: true };
}

interface CountedValue {
  value: CellValue;
  experiments: number;
}

interface Values {
  rows: CountedValue[];
  /** Whether nothing was left uncounted. */
  isAll: boolean;
}

/** Reads the values of a key. Elements of lists are values, lists are not. */
async function readMetaValues(
  reader: Reader,
  { organizationId, search, limit }: FieldsSearch,
  path: readonly string[],
): Promise<Values> {
  const names = await readNames(reader, organizationId, [{ kind: "meta", path }]);
  const key = names.key(path);
  if (key === undefined) return { rows: [], isAll: true };
  const text = new SqlText();
  const max = limits.fieldValuesCountedMax;
  const like = search.length === 0 ? "1 = 1" : oftenTrue(text.isNamed(reader, "text", search));
  const left = await leftOut(reader, organizationId, text);
  const rows = await reader.composed<ConfigRow & { experiments: number; leaves: number }>(
    `WITH newest AS MATERIALIZED (
       SELECT experiment, element, kind, number, text FROM config_value
       WHERE key = ${text.bind(key)} AND kind <= 3 AND ${like}${left}
       ORDER BY experiment DESC LIMIT ${text.number(max)})
     SELECT kind, number, text, count(*) AS experiments, (SELECT count(*) FROM newest) AS leaves
     FROM (SELECT kind, number, text FROM newest WHERE element = -1
       UNION ALL SELECT kind, number, text FROM (
         SELECT DISTINCT experiment, kind, number, text FROM newest WHERE element >= 0) AS listed) AS every
     GROUP BY kind, number, text
     ORDER BY experiments DESC, kind, number, text LIMIT ${text.number(limit + 1)}`,
    ...text.values,
  );
  const counted = rows.map(({ experiments, kind, number, text: spelling }) => {
    return { value: configValue({ kind, number, text: spelling }), experiments };
  });
  return { rows: counted, isAll: (rows[0]?.leaves ?? 0) < max };
}

/**
 * Rewrites a condition for PostgreSQL, which takes a pattern for rare, and would sort all leaves
 * before it takes the newest.
 */
function oftenTrue(condition: string): string {
  return `CASE WHEN ${condition} THEN 1 ELSE 0 END <> 0`;
}

async function readOwnValues(
  reader: Reader,
  wanted: FieldsSearch,
  field: Field,
): Promise<CountedValue[]> {
  if (field.kind === "own" && field.name === "folder") return readFolderValues(reader, wanted);
  if (field.kind === "own" && field.name === "artifact") return readArtifactValues(reader, wanted);
  throw new ServiceError(
    "bad_request",
    "field: values are listed of fields of meta, and of name, tag, group, commit, folder and artifact.",
  );
}

async function readFolderValues(
  reader: Reader,
  { organizationId, contained, limit }: FieldsSearch,
): Promise<CountedValue[]> {
  const rows = await reader.all<{ folder: string; experiments: number }>(
    `SELECT folder, count(*) AS experiments FROM experiment
     WHERE organization = $1 AND trashed_at_ms IS NULL AND folder IS NOT NULL
       AND ${reader.inTime("experiment")} GROUP BY folder`,
    organizationId,
  );
  const counts = new Map(rows.map(({ folder, experiments }) => [folder, experiments]));
  const folders = await readFolderOrder(reader, organizationId);
  const fitting = await folders.fitting(new WholePaths(nameTest(contained)), false);
  return folders.ids
    .filter((id, position) => fitting[position] === 1 && counts.has(id))
    .toSorted((left, right) => counts.get(right)! - counts.get(left)!)
    .slice(0, limit + 1)
    .map((id) => ({ value: folders.pathOf(id), experiments: counts.get(id)! }));
}

async function readArtifactValues(
  reader: Reader,
  { organizationId, search, limit }: FieldsSearch,
): Promise<CountedValue[]> {
  const text = new SqlText();
  const organization = text.bind(organizationId);
  const left = await leftOut(reader, organizationId, text);
  return reader.composed<{ value: string; experiments: number }>(
    `SELECT artifact.path AS value, count(DISTINCT written.experiment) AS experiments
     FROM version_experiment AS written JOIN artifact ON artifact.id = written.artifact
     WHERE written.organization = ${organization} AND ${text.isNamed(reader, "path", search)}${left}
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
