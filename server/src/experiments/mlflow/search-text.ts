import type { Value } from "../../database/database.ts";
import type { Field } from "./condition.ts";
import { beganAtMs, endedAtMs } from "../summaries/training-time.ts";
import { rootFolder } from "./folder.ts";
import { nameTag } from "./name.ts";
import { hasNoOrigin, isOriginTag, noteTag } from "./native.ts";

/** A value of each run as SQL. Of a metric it is `value` where `kind` is 0, as in `run_metric`. */
export type Column =
  | { kind: "text" | "number"; sql: string; isNullable: boolean }
  | { kind: "metric"; sql: string; kindSql: string };

/** Collects the values and joins of one statement while its text is made. */
export class SearchText {
  readonly values: Value[] = [];
  readonly joins: string[] = [];
  /** Conditions on runs whose columns in SQL have all their values. */
  readonly wholeWhere = new Set<string>();
  /** Whether the text uses the experiment's `summarized z`. */
  needsSummarized = false;
  readonly #aliases = new Map<string, string>();

  /** Returns the placeholder of a value in the text. */
  bind(value: Value): `$${number}` {
    return `$${this.values.push(value)}`;
  }

  text(value: string): string {
    return `CAST(${this.bind(value)} AS TEXT)`;
  }

  number(value: number): string {
    return `CAST(${this.bind(value)} AS DOUBLE PRECISION)`;
  }

  /** Joins a table and returns its alias in the statement; runs without such a row have NULL. */
  rowOf(table: "run_param" | "run_tag" | "run_metric", key: string): string {
    const name = JSON.stringify([table, key]);
    const known = this.#aliases.get(name);
    if (known !== undefined) return known;
    const alias = `j${this.#aliases.size}`;
    this.#aliases.set(name, alias);
    // Entries of the trash are not searched.
    const living = table === "run_metric" ? ` AND ${alias}.trashed = 0` : "";
    this.joins.push(
      `LEFT JOIN ${table} ${alias}
       ON ${alias}.experiment = e.id AND ${alias}.key = ${this.bind(key)}${living}`,
    );
    return alias;
  }
}

/** Condition that no value of the run came through v2; `h` is its head. */
export const allThroughMlflow = `(coalesce(r.points, 0) = h.points AND NOT EXISTS (
  SELECT 1 FROM nonfinite WHERE nonfinite.experiment = e.id AND is_native = 1))`;

/** Returns the field as SQL; values from the meta, the description or v2 are not included. */
export function columnOf(text: SearchText, { kind, key }: Field): Column {
  if (kind === "attribute" && key !== "run_name") {
    if (key === "artifact_uri")
      text.wholeWhere.add("coalesce(r.artifact_location, '') NOT LIKE '%?%'");
    if (key === "start_time" || key === "end_time") text.needsSummarized = true;
    return attributes[key];
  }
  if (kind === "attribute" || (kind === "tag" && key === nameTag)) {
    const value = `${text.rowOf("run_tag", nameTag)}.value`;
    if (kind === "attribute")
      return { kind: "text", sql: `coalesce(${value}, r.name, e.slug)`, isNullable: false };
    const untagged = "CASE WHEN r.name IS NULL THEN e.slug END";
    return { kind: "text", sql: `coalesce(${value}, ${untagged})`, isNullable: true };
  }
  if (kind === "metric") {
    text.wholeWhere.add(allThroughMlflow);
    const alias = text.rowOf("run_metric", key);
    return { kind: "metric", sql: `${alias}.value`, kindSql: `${alias}.kind` };
  }
  if (kind === "param") text.wholeWhere.add("e.meta = '{}'");
  if (kind === "tag" && key === noteTag) text.wholeWhere.add("e.description = ''");
  if (kind === "tag" && isOriginTag(key)) text.wholeWhere.add(hasNoOrigin);
  const alias = text.rowOf(kind === "param" ? "run_param" : "run_tag", key);
  return { kind: "text", sql: `${alias}.value`, isNullable: true };
}

const never = { isNullable: false } as const;
const location = `coalesce(r.artifact_location, 'mlflow-artifacts:/' || coalesce(e.folder, '${rootFolder}'))`;
const word = (fitting: readonly string[]) =>
  `CASE WHEN r.status_word IN (${fitting.map((one) => `'${one}'`).join(", ")})
    THEN r.status_word ELSE '${fitting[0]}' END`;

/** Attributes as SQL, with the values that `run-row.ts` returns for one run. */
const attributes: Readonly<Record<string, Column>> = {
  run_id: { kind: "text", sql: "e.id", ...never },
  user_id: { kind: "text", sql: "coalesce(r.user_name, '')", ...never },
  status: {
    kind: "text",
    sql: `(CASE e.status WHEN 'running' THEN ${word(["RUNNING", "SCHEDULED"])}
      WHEN 'done' THEN 'FINISHED' ELSE ${word(["FAILED", "KILLED"])} END)`,
    ...never,
  },
  start_time: {
    kind: "number",
    sql: beganAtMs,
    ...never,
  },
  end_time: {
    kind: "number",
    sql: `(CASE WHEN r.end_time IS NOT NULL THEN r.end_time WHEN r.start_time IS NOT NULL THEN NULL
      ELSE ${endedAtMs} END)`,
    isNullable: true,
  },
  artifact_uri: {
    kind: "text",
    sql: `(CASE WHEN ${location} LIKE '%/' THEN substr(${location}, 1, length(${location}) - 1)
      ELSE ${location} END || '/' || e.id || '/artifacts')`,
    ...never,
  },
};

/** Whether a database can store the text; others are compared by this code alone. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
