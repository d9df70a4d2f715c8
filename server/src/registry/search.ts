import type { Reader } from "../database/database.ts";
import type { Condition } from "../experiments/mlflow/condition.ts";
import type { OrderBy, PageEnd } from "../experiments/mlflow/order.ts";
import { textCondition } from "../experiments/mlflow/search-condition.ts";
import { SearchText } from "../experiments/mlflow/search-text.ts";
import { ServiceError } from "../ground/errors.ts";
import { modelColumns, type RegisteredModel } from "./model.ts";
import {
  type ModelVersion,
  versionColumns,
  type VersionRow,
  versionTables,
  type WholeModel,
  wholeModels,
  wholeVersions,
} from "./read.ts";

export interface SearchRegistry {
  organizationId: string;
  conditions: Condition[];
  orderBy: OrderBy[];
  limit: number;
  after: PageEnd | undefined;
}

/** `registry.searchModels`: models that fit all conditions, by pages. */
export async function searchModels(
  reader: Reader,
  asked: SearchRegistry,
): Promise<{ models: WholeModel[]; next: PageEnd | undefined }> {
  const table = {
    columns: modelColumns,
    tables: "registered_model",
    attributes: modelAttributes,
    tag: (key: string) =>
      `(SELECT value FROM registered_model_tag AS tag WHERE tag.model = registered_model.id AND tag.key = ${key})`,
    last: [{ kind: "text" as const, sql: "registered_model.id" }],
  };
  const { rows, next } = await page<RegisteredModel & Keys>(reader, asked, table);
  return { models: await wholeModels(reader, rows.map(withoutKeys)), next };
}

/** `registry.searchVersions`: the same of versions of all models. */
export async function searchVersions(
  reader: Reader,
  asked: SearchRegistry,
): Promise<{ versions: ModelVersion[]; next: PageEnd | undefined }> {
  const table = {
    columns: versionColumns,
    tables: versionTables,
    attributes: versionAttributes,
    tag: (key: string) =>
      `(SELECT value FROM model_version_tag AS tag WHERE tag.model = model_version.model
         AND tag.number = model_version.number AND tag.key = ${key})`,
    last: [
      { kind: "text" as const, sql: "model_version.model" },
      { kind: "number" as const, sql: "model_version.number" },
    ],
  };
  const { rows, next } = await page<VersionRow & Keys>(reader, asked, table);
  return { versions: await wholeVersions(reader, rows.map(withoutKeys)), next };
}

interface Attribute {
  kind: "text" | "number";
  sql: string;
}

const modelAttributes: Readonly<Record<string, Attribute>> = {
  name: { kind: "text", sql: "registered_model.name" },
  creation_timestamp: { kind: "number", sql: "registered_model.created_at_ms" },
  last_updated_timestamp: { kind: "number", sql: "registered_model.changed_at_ms" },
};
const versionAttributes: Readonly<Record<string, Attribute>> = {
  name: { kind: "text", sql: "registered_model.name" },
  version_number: { kind: "number", sql: "model_version.number" },
  run_id: { kind: "text", sql: "coalesce(model_version.run, '')" },
  source_path: { kind: "text", sql: "model_version.source" },
  creation_timestamp: { kind: "number", sql: "model_version.created_at_ms" },
  last_updated_timestamp: { kind: "number", sql: "model_version.changed_at_ms" },
};

interface SearchedTable {
  columns: string;
  tables: string;
  attributes: Readonly<Record<string, Attribute>>;
  /** The value of a tag as SQL, of the placeholder of its key. */
  tag: (key: string) => string;
  /** Columns that order rows which are equal otherwise. */
  last: readonly Attribute[];
}

/** Columns `key0`, `key1`, … by which a page is ordered. */
type Keys = Record<string, unknown>;

async function page<Row extends Keys>(
  reader: Reader,
  { organizationId, conditions, orderBy, limit, after }: SearchRegistry,
  table: SearchedTable,
): Promise<{ rows: Row[]; next: PageEnd | undefined }> {
  const text = new SearchText();
  const wheres = [`registered_model.organization = ${text.bind(organizationId)}`];
  for (const condition of conditions) wheres.push(whereOf(reader, text, condition, table));
  const clauses = [
    ...orderBy.map(({ field, isAscending }) => ({
      ...table.attributes[field.key],
      isAscending,
    })),
    ...table.last.map((attribute) => ({ ...attribute, isAscending: true })),
  ];
  if (after !== undefined) wheres.push(behind(text, clauses, placeIn(after, clauses)));
  const keys = clauses.map(({ sql }, at) => `${sql} AS key${at}`).join(", ");
  const order = clauses.map(({ sql, isAscending }) => `${sql} ${isAscending ? "ASC" : "DESC"}`);
  const found = await reader.all<Row>(
    `SELECT ${table.columns}, ${keys} FROM ${table.tables} WHERE ${wheres.join(" AND ")}
     ORDER BY ${order.join(", ")} LIMIT ${text.bind(limit + 1)}`,
    ...text.values,
  );
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (last === undefined || rows.length === found.length) return { rows, next: undefined };
  const values = clauses.map((_, at) => last[`key${at}`] as string | number);
  return { rows, next: { id: "", values } };
}

function whereOf(
  reader: Reader,
  text: SearchText,
  condition: Condition,
  { attributes, tag }: SearchedTable,
): string {
  const { field, comparator, value } = condition;
  const attribute = field.kind === "tag" ? undefined : attributes[field.key];
  if (attribute?.kind === "number") {
    const sign = comparator === "!=" ? "<>" : comparator;
    if (typeof value === "number") return `${attribute.sql} ${sign} ${text.number(value)}`;
  }
  const sql = attribute?.sql ?? tag(text.bind(field.key));
  const own = textCondition(reader, text, sql, condition);
  if (own !== undefined) return own;
  throw new ServiceError(
    "bad_request",
    "Searches for models compare ILIKE with patterns of ASCII only.",
  );
}

interface Clause extends Attribute {
  isAscending: boolean;
}

function placeIn({ values }: PageEnd, clauses: readonly Clause[]): readonly (string | number)[] {
  const place = values as readonly unknown[];
  const fits = ({ kind }: Clause, at: number) =>
    kind === "text" ? typeof place[at] === "string" : Number.isSafeInteger(place[at]);
  if (place.length === clauses.length && clauses.every(fits))
    return place as readonly (string | number)[];
  throw new ServiceError("bad_request", "The page token is of another search.");
}

/** The condition for rows behind a place. */
function behind(
  text: SearchText,
  clauses: readonly Clause[],
  place: readonly (string | number)[],
): string {
  const [clause, ...others] = clauses;
  const bound = text.bind(place[0]);
  const further = `${clause.sql} ${clause.isAscending ? ">" : "<"} ${bound}`;
  if (others.length === 0) return further;
  return `(${further} OR (${clause.sql} = ${bound} AND ${behind(text, others, place.slice(1))}))`;
}

function withoutKeys<Row extends Keys>(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !/^key\d+$/.test(name))) as Row;
}
