import type { Reader, Value } from "../../database/database.ts";
import type { Condition } from "./condition.ts";
import { rootFolder } from "./folder.ts";
import { valueOf } from "./metric.ts";
import type { OrderBy, SearchPosition, SortValue } from "./order.ts";
import { conditionText } from "./search-condition.ts";
import { allThroughMlflow, type Column, columnOf, isStorable, SearchText } from "./search-text.ts";

/** Lifecycle stages to search. */
export type Stages = "active" | "deleted" | "all";

/** A search, and the place at which its page begins. */
export interface Search {
  organizationId: string;
  folderIds: readonly string[];
  stages: Stages;
  conditions: readonly Condition[];
  clauses: readonly OrderBy[];
  after: SearchPosition | undefined;
  limit: number;
  /** Only these runs are searched; undefined: all. */
  among?: readonly string[];
}

/** Maximum of joins in one statement of SQLite. */
const joinsMax = 16;

/** A part of an order, never NULL, and its direction. */
interface Part {
  sql: string;
  isAscending: boolean;
  /** Its value at the place after which the page begins; undefined on the first page. */
  after: string | undefined;
}

export interface SearchStatement {
  sql: string;
  values: Value[];
  /** SQL condition on the runs that the statement covers; "": it covers all. */
  wholeWhere: string;
}

/**
 * Returns a statement; undefined where the database would not give exactly the result of this code.
 */
export function searchStatement(reader: Reader, search: Search): SearchStatement | undefined {
  const { after, clauses } = search;
  if (after !== undefined && (after.values.length !== clauses.length || !isStorable(after.id)))
    return undefined;
  const text = new SearchText();
  const where = candidatesWhere(reader, text, search);
  for (const condition of search.conditions) {
    const sql = conditionText(reader, text, condition);
    if (sql === undefined) return undefined;
    where.push(sql);
  }
  const selected = ["e.id"];
  const parts: Part[] = [];
  for (const [at, { field, isAscending }] of clauses.entries()) {
    const column = columnOf(text, field);
    selected.push(`${column.sql} AS v${at}`);
    if (column.kind === "metric") selected.push(`${column.kindSql} AS k${at}`);
    const own = partsOf(text, column, isAscending, after?.values[at]);
    if (own === undefined) return undefined;
    parts.push(...own);
  }
  parts.push({ sql: "e.id", isAscending: true, after: after && text.text(after.id) });
  if (after !== undefined) where.push(behind(parts));
  if (text.joins.length > joinsMax) return undefined;
  const whole = [...text.wholeWhere];
  const sql = `SELECT ${selected.join(", ")} FROM experiment e
    ${text.wholeWhere.has(allThroughMlflow) ? "JOIN head h ON h.experiment = e.id" : ""}
    ${text.needsSummarized ? "JOIN summarized z ON z.experiment = e.id" : ""}
    LEFT JOIN run r ON r.experiment = e.id ${text.joins.join("\n    ")}
    WHERE ${[...where, ...whole].join("\n      AND ")}
    ORDER BY ${parts.map((part) => `${part.sql} ${part.isAscending ? "ASC" : "DESC"}`).join(", ")}
    LIMIT ${search.limit}`;
  return { sql, values: text.values, wholeWhere: whole.join(" AND ") };
}

export interface Binding {
  bind(value: Value): `$${number}`;
}

const stageConditions: Record<Stages, string[]> = {
  active: ["r.deleted_at_ms IS NULL"],
  deleted: ["r.deleted_at_ms IS NOT NULL"],
  all: [],
};

/** Returns the conditions on the searched runs. */
export function candidatesWhere(
  reader: Reader,
  text: Binding,
  {
    organizationId,
    folderIds,
    stages,
    among,
  }: Pick<Search, "organizationId" | "folderIds" | "stages" | "among">,
): string[] {
  const nested = folderIds.filter((id) => id !== rootFolder);
  const atRoot = folderIds.includes(rootFolder) ? "e.folder IS NULL OR " : "";
  return [
    `e.organization = ${text.bind(organizationId)}`,
    "e.trashed_at_ms IS NULL",
    reader.inTime("e"),
    `(${atRoot}${reader.isOneOf("e.folder", text.bind(JSON.stringify(nested)))})`,
    ...stageConditions[stages],
    ...(among === undefined ? [] : [reader.isOneOf("e.id", text.bind(JSON.stringify(among)))]),
  ];
}

/**
 * Returns the parts of an order, with missing values last in both directions; undefined: no run has
 * such a place.
 */
function partsOf(
  text: SearchText,
  column: Column,
  isAscending: boolean,
  place: SortValue | undefined,
): Part[] | undefined {
  if (column.kind === "metric") return metricParts(text, column, isAscending, place);
  const { kind, sql, isNullable } = column;
  const nothing = kind === "text" ? "''" : "0";
  const after = place === null ? nothing : placeText(text, kind, place);
  if (place !== undefined && (after === undefined || (place === null && !isNullable)))
    return undefined;
  if (!isNullable) return [{ sql, isAscending, after }];
  return [
    {
      sql: `CASE WHEN ${sql} IS NULL THEN 1 ELSE 0 END`,
      isAscending: true,
      after: after && (place === null ? "1" : "0"),
    },
    { sql: `coalesce(${sql}, ${nothing})`, isAscending, after },
  ];
}

function placeText(
  text: SearchText,
  kind: "text" | "number",
  place: SortValue | undefined,
): string | undefined {
  if (kind === "text")
    return typeof place === "string" && isStorable(place) ? text.text(place) : undefined;
  return typeof place === "number" && Number.isFinite(place) ? text.number(place) : undefined;
}

/**
 * Returns the parts of a metric: numbers, then NaN, then missing values, in both directions.
 * Infinities are kinds of their own, compared before the values.
 */
function metricParts(
  text: SearchText,
  { sql, kindSql }: Column & { kind: "metric" },
  isAscending: boolean,
  place: SortValue | undefined,
): Part[] | undefined {
  if (typeof place === "string") return undefined;
  const number = typeof place === "number" && !Number.isNaN(place) ? place : undefined;
  const isFinite = Number.isFinite(number);
  const rank = place === null ? 2 : number === undefined ? 1 : 0;
  const side = number === undefined || isFinite ? 0 : Math.sign(number);
  const given = (after: () => string) => (place === undefined ? undefined : after());
  return [
    {
      sql: `CASE WHEN ${kindSql} IS NULL THEN 2 WHEN ${kindSql} = 2 THEN 1 ELSE 0 END`,
      isAscending: true,
      after: given(() => String(rank)),
    },
    {
      sql: `CASE WHEN ${kindSql} IN (-1, 1) THEN ${kindSql} ELSE 0 END`,
      isAscending,
      after: given(() => String(side)),
    },
    {
      sql: `CASE WHEN ${kindSql} = 0 THEN ${sql} ELSE 0 END`,
      isAscending,
      after: given(() => (isFinite ? text.number(number!) : "0")),
    },
  ];
}

/** Returns the condition on rows after the place, in the order of the parts. */
function behind(parts: readonly Part[]): string {
  return parts.reduceRight((rest, { sql, isAscending, after }) => {
    const further = `${sql} ${isAscending ? ">" : "<"} ${after}`;
    return rest === "" ? `(${further})` : `(${further} OR (${sql} = ${after} AND ${rest}))`;
  }, "");
}

/** A row of the statement as a place. */
export function positionOf(
  row: Readonly<Record<string, string | number | null>>,
  clauses: readonly OrderBy[],
): SearchPosition {
  const values = clauses.map(({ field }, at): SortValue => {
    const value = row[`v${at}`];
    if (field.kind !== "metric") return value;
    const kind = row[`k${at}`];
    return kind === null ? null : valueOf(Number(kind), Number(value));
  });
  return { id: String(row["id"]), values };
}
