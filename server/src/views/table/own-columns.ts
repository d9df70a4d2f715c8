import type { Field, OwnField } from "@lossless/protocol";
import { ownFields } from "@lossless/protocol/query-field";
import { livenessJoin, stateSql } from "../../attempts/liveness.ts";
import { beganAtMs, endedAtMs } from "../../experiments/summaries/training-time.ts";
import type { FolderOrder } from "./folder-order.ts";
import type { Joined, SqlText } from "./sql-text.ts";

/** One value of each experiment as SQL. */
export interface Column {
  sql: string;
  isNullable: boolean;
  isText: boolean;
  /** Set where the field grows as the column falls: a duration, by the time at which it began. */
  isReversed?: boolean;
  /**
   * Conversion between the value and a lasting form of it in a place; set where the same value may
   * mean something else later.
   */
  lasting?: { write(value: number): string; read(text: string): number | undefined };
}

/** Own fields that are one value each; the others stand in tables of their own. */
export type ColumnField = Exclude<OwnField, "name" | "tag" | "group" | "commit" | "artifact">;

/** Returns the field's value itself; of a folder its id. */
export function ownColumn(field: ColumnField, nowMs: number, text: SqlText): Column {
  const { tables, sql, isNullable = false } = columns[field];
  for (const table of tables) text.joined.add(table);
  const isText = ["text", "status", "state", "folder"].includes(ownFields[field]);
  const filled = sql.includes("?") ? sql.replaceAll("?", text.number(nowMs)) : sql;
  return { sql: filled, isNullable, isText };
}

/** Fields that metas have, or an index of an organization in the order of the ids. */
export const fieldsInOrder: ReadonlySet<OwnField> = new Set<OwnField>([
  "id",
  "status",
  "created",
  "updated",
  "started",
  "done",
  "age",
  "name",
  "tag",
  "group",
  "commit",
]);

/** True for running experiments: only those are silent. */
export const isRunning = "e.status = 'running'";

/** Returns the column to sort by, whose order does not depend on the time of the request. */
export function sortColumn(
  field: ColumnField,
  { nowMs, folders }: { nowMs: number; folders: FolderOrder | undefined },
  text: SqlText,
): Column {
  if (field === "folder") {
    text.joined.add("experiment").add("place");
    return { sql: "place.position", isNullable: true, isText: false, lasting: folders! };
  }
  if (field === "age") return { ...ownColumn("created", nowMs, text), isReversed: true };
  if (field !== "silent") return ownColumn(field, nowMs, text);
  for (const table of columns.silent.tables) text.joined.add(table);
  const sql = `CASE WHEN ${isRunning} THEN ${heardAtMs} END`;
  return { sql, isNullable: true, isText: false, isReversed: true };
}

/** When a running experiment was heard of last: points were stored, or a process lived. */
const heardAtMs = `(CASE WHEN live.beat_at_ms > h.appended_at_ms THEN live.beat_at_ms ELSE h.appended_at_ms END)`;

/** SQL of each field; `?` stands for the present time. */
const columns: Record<ColumnField, { tables: Joined[]; sql: string; isNullable?: true }> = {
  slug: { tables: ["experiment"], sql: "e.slug" },
  id: { tables: ["experiment"], sql: "e.id" },
  status: { tables: ["experiment"], sql: "e.status" },
  state: { tables: ["liveness"], sql: stateSql, isNullable: true },
  attempts: { tables: ["liveness"], sql: "live.attempts", isNullable: true },
  description: { tables: ["experiment"], sql: "e.description" },
  error: { tables: ["experiment"], sql: "e.error", isNullable: true },
  folder: { tables: ["experiment"], sql: "e.folder", isNullable: true },
  began: { tables: ["experiment", "summarized"], sql: beganAtMs },
  created: { tables: ["experiment"], sql: "e.created_at_ms" },
  updated: { tables: ["experiment"], sql: "e.updated_at_ms" },
  started: { tables: ["experiment"], sql: "e.started_at_ms", isNullable: true },
  done: { tables: ["experiment"], sql: "e.done_at_ms", isNullable: true },
  points: { tables: ["head"], sql: "h.points" },
  age: { tables: ["experiment"], sql: "(? - e.created_at_ms)" },
  silent: {
    tables: ["experiment", "head", "liveness"],
    sql: `CASE WHEN ${isRunning} THEN ? - ${heardAtMs} END`,
    isNullable: true,
  },
  duration: {
    tables: ["experiment", "summarized"],
    sql: `(coalesce(${endedAtMs}, ?) - ${beganAtMs})`,
  },
};

/** Whether a field is computed from points, which are counted some seconds later. */
export function isOfPoints(field: Field): boolean {
  if (field.kind === "metric") return true;
  return (
    field.kind === "own" &&
    field.name in columns &&
    columns[field.name as ColumnField].tables.includes("summarized")
  );
}

/** Returns the joins of an experiment with this id, as `joined` says. */
export function joinedTables(joined: ReadonlySet<Joined>, id: string): string[] {
  return [
    ...(joined.has("head") ? [`JOIN head h ON h.experiment = ${id}`] : []),
    ...(joined.has("liveness") ? [livenessJoin(id)] : []),
    ...(joined.has("summarized")
      ? [`JOIN summarized z ON z.experiment = ${id}`, `LEFT JOIN run r ON r.experiment = ${id}`]
      : []),
  ];
}
