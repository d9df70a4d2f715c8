import type { Field, Operator, Query, QueryValue, Stat } from "@lossless/protocol";
import { fieldType } from "@lossless/protocol/query-field";
import { type KnownNames, metaPath } from "./known-names.ts";
import { type ColumnField, ownColumn } from "./own-columns.ts";
import type { SqlText } from "./sql-text.ts";

export interface QueryTerms {
  organizationId: string;
  names: KnownNames;
  nowMs: number;
}

/** Never null, so that `not` gives the others; neither is any condition below. */
const never = "(1 = 0)";

/** The columns of a metric's summary. */
export const statColumns: Record<Stat, string> = {
  last: "last",
  first: "first",
  min: "min",
  max: "max",
  mean: "sum / points",
  count: "points",
  firststep: "first_step",
  laststep: "last_step",
};

/** Makes the condition of a query. `id` is SQL for the experiment's id in that statement. */
export function compileQuery(terms: QueryTerms, query: Query, text: SqlText, id: string): string {
  return new Conditions(terms, text, id).of(query);
}

class Conditions {
  readonly #terms: QueryTerms;
  readonly #text: SqlText;
  readonly #id: string;

  constructor(terms: QueryTerms, text: SqlText, id: string) {
    this.#terms = terms;
    this.#text = text;
    this.#id = id;
  }

  of(query: Query): string {
    switch (query.kind) {
      case "and":
        return query.parts.length === 0 ? "(1 = 1)" : this.#joined(query.parts, " AND ");
      case "or":
        return this.#joined(query.parts, " OR ");
      case "not":
        return `NOT ${this.of(query.part)}`;
      case "exists":
        return this.#test(query.field, undefined);
      case "compare":
        return this.#test(query.field, query);
      case "in":
        return or(query.values.map((value) => this.#test(query.field, { operator: "=", value })));
      case "search":
        return this.#search(query.text);
    }
  }

  #joined(parts: readonly Query[], word: string): string {
    return `(${parts.map((part) => this.of(part)).join(word)})`;
  }

  #test(field: Field, comparison: Comparison | undefined): string {
    if (field.kind === "metric") return this.#metric(field, comparison);
    if (field.kind === "own" && field.name === "artifact") return this.#artifact(comparison);
    const path = metaPath(field);
    if (path !== undefined) return this.#meta(path, field.kind === "own", comparison);
    return this.#own(field as Field & { kind: "own" }, comparison);
  }

  #metric(field: Field & { kind: "metric" }, comparison: Comparison | undefined): string {
    const metric = this.#terms.names.metric(field);
    const isComparable = comparison === undefined || comparison.value.kind === "number";
    if (metric === undefined || !isComparable) return never;
    const strip = `SELECT experiment FROM metric_summary WHERE metric = ${this.#text.bind(metric)}`;
    if (comparison === undefined) return this.#isIn(strip);
    const number = this.#text.number(numberOf(comparison.value));
    return this.#isIn(`${strip} AND ${statColumns[field.stat]} ${comparison.operator} ${number}`);
  }

  /** A list is equal to what one of its elements is, and different where none is. */
  #meta(path: readonly string[], isText: boolean, comparison: Comparison | undefined): string {
    const key = this.#terms.names.key(path);
    if (key === undefined || isUnordered(isText, comparison)) return never;
    const strip = `SELECT experiment FROM config_value WHERE key = ${this.#text.bind(key)} AND `;
    const kinds = isText ? "kind = 3" : kindsOf(comparison);
    if (comparison === undefined) return this.#isIn(strip + kinds);
    const { operator, value } = comparison;
    if (operator !== "!=") return this.#isIn(strip + this.#leaf(kinds, operator, value));
    const comparable = value.kind === "null" && !isText ? "element = -1" : kinds;
    const equal = this.#isIn(strip + this.#leaf(kinds, "=", value));
    return `(${this.#isIn(strip + comparable)} AND NOT ${equal})`;
  }

  #leaf(kinds: string, operator: Operator, value: QueryValue): string {
    if (operator === "~") return `${kinds} AND ${this.#text.like("text", value.text)}`;
    if (kinds === "kind = 0") return kinds;
    const isNumber = kinds === "kind = 1" || kinds === "kind = 2";
    if (!isNumber) return `${kinds} AND text ${operator} ${this.#text.bind(value.text)}`;
    const number = value.kind === "boolean" ? Number(value.boolean) : numberOf(value);
    return `${kinds} AND number ${operator} ${this.#text.number(number)}`;
  }

  #artifact(comparison: Comparison | undefined): string {
    const { organizationId } = this.#terms;
    const written = `SELECT v.experiment FROM version_experiment v JOIN artifact a ON a.id = v.artifact
      WHERE v.organization = ${this.#text.bind(organizationId)}`;
    if (comparison === undefined) return this.#isIn(written);
    const { operator, value } = comparison;
    if (operator === "~")
      return this.#isIn(`${written} AND ${this.#text.like("a.path", value.text)}`);
    const path = this.#text.bind(value.text);
    if (operator !== "!=") return this.#isIn(`${written} AND a.path ${operator} ${path}`);
    const equal = this.#isIn(`${written} AND a.path = ${path}`);
    return `(${this.#isIn(written)} AND NOT ${equal})`;
  }

  #own(field: Field & { kind: "own" }, comparison: Comparison | undefined): string {
    const { sql, isNullable } = ownColumn(field.name as ColumnField, this.#terms.nowMs, this.#text);
    if (comparison === undefined) return `(${sql} IS NOT NULL)`;
    const condition = this.#compared(sql, fieldType(field), comparison);
    return isNullable ? `(${sql} IS NOT NULL AND ${condition})` : `(${condition})`;
  }

  #compared(sql: string, type: string, { operator, value }: Comparison): string {
    const text = this.#text;
    if (type === "folder") return this.#folder(sql, operator, value.text);
    if (operator === "~") return text.like(sql, value.text);
    if (type === "text" || type === "status") return `${sql} ${operator} ${text.bind(value.text)}`;
    if (type === "time") return this.#moment(sql, operator, value);
    const number = value.kind === "duration" ? value.milliseconds : numberOf(value);
    return `${sql} ${operator} ${text.number(number)}`;
  }

  /** A folder is meant with all below it. */
  #folder(path: string, operator: Operator, wanted: string): string {
    const text = this.#text;
    if (operator === "~") {
      const below = text.like(path, wanted.includes("*") ? `${wanted}/*` : wanted);
      return `(${text.like(path, wanted)} OR ${below})`;
    }
    // Bytewise, what begins with "wanted/" lies between it and "wanted0".
    const [from, to] = [text.bind(`${wanted}/`), text.bind(`${wanted}0`)];
    const equal = `(${path} = ${text.bind(wanted)} OR (${path} > ${from} AND ${path} < ${to}))`;
    return operator === "=" ? equal : `NOT ${equal}`;
  }

  /** What is later than a day is later than its end. */
  #moment(sql: string, operator: Operator, value: QueryValue): string {
    const startMs = value.kind === "date" ? value.startMs : this.#terms.nowMs + lengthOf(value);
    const endMs = value.kind === "date" ? value.endMs : startMs + 1;
    const [before, from] = ["<", ">="].map(
      (sign) => (ms: number) => `${sql} ${sign} ${this.#text.number(ms)}`,
    );
    switch (operator) {
      case "=":
        return `(${from(startMs)} AND ${before(endMs)})`;
      case "!=":
        return `(${before(startMs)} OR ${from(endMs)})`;
      case "<":
        return before(startMs);
      case "<=":
        return before(endMs);
      case ">":
        return from(endMs);
      case ">=":
        return from(startMs);
      case "~":
        throw new Error("BUG: a moment has no pattern");
    }
  }

  #search(pattern: string): string {
    const comparison = { operator: "~" as const, value: { kind: "text" as const, text: pattern } };
    const fields = (["slug", "description", "name", "tag"] as const).map((name) =>
      this.#test({ kind: "own", name }, comparison),
    );
    return or(fields);
  }

  #isIn(strip: string): string {
    return `${this.#id} IN (${strip})`;
  }
}

interface Comparison {
  operator: Operator;
  value: QueryValue;
}

function or(conditions: readonly string[]): string {
  return `(${conditions.join(" OR ")})`;
}

/** The kinds of values (migration 008) that a value is compared with: a time is the text of it. */
function kindsOf(comparison: Comparison | undefined): string {
  if (comparison === undefined) return "element = -1";
  const { operator, value } = comparison;
  if (operator === "~") return "kind >= 3";
  switch (value.kind) {
    case "null":
      return "kind = 0";
    case "boolean":
      return "kind = 1";
    case "number":
      return "kind = 2";
    case "text":
    case "date":
    case "duration":
      return "kind >= 3";
  }
}

/** Neither null nor a boolean is less than another. */
function isUnordered(isText: boolean, comparison: Comparison | undefined): boolean {
  if (isText || comparison === undefined || ["=", "!=", "~"].includes(comparison.operator))
    return false;
  return comparison.value.kind === "null" || comparison.value.kind === "boolean";
}

function numberOf(value: QueryValue): number {
  if (value.kind === "number") return value.number;
  throw new Error("BUG: the language compares numbers with numbers only");
}

function lengthOf(value: QueryValue): number {
  if (value.kind === "duration") return value.milliseconds;
  throw new Error("BUG: the language compares times with dates and durations only");
}
