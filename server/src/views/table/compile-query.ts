import type { Reader } from "../../database/database.ts";
import type { Field, Operator, Query, QueryValue } from "@lossless/protocol";
import { fieldType } from "@lossless/protocol/query-field";
import { nonfiniteWord } from "@lossless/protocol/query-value";
import { fieldsOf } from "@lossless/protocol/query-language";
import type { FolderOrder } from "./folder-order.ts";
import { type FolderTest, type FolderTests, isFolderTest } from "./folder-tests.ts";
import { type KnownNames, metaPath } from "./known-names.ts";
import { hasStat, statTest } from "./metric-stats.ts";
import { type ColumnField, joinedTables, ownColumn } from "./own-columns.ts";
import { areMerged, type Combining, type IdSet, intersection, union } from "./set-text.ts";
import type { PatternReader, SqlText } from "./sql-text.ts";

export interface QueryTerms {
  reader: Pick<Reader, "dialect" | "inTime" | "isOneOf" | "listed"> & PatternReader;
  organizationId: string;
  names: KnownNames;
  /** Order of the folders; set where rows are sorted by folder. */
  folders: FolderOrder | undefined;
  /** Tests of folders; undefined where the query has none. */
  folderTests: FolderTests | undefined;
  /** Whether the organization has deleted experiments, whose summaries and leaves still stand. */
  hasDeleted: boolean;
  nowMs: number;
  /** Limits the search to these experiments, looked up one by one. */
  among?: readonly string[] | undefined;
}

/**
 * Makes the SELECT of the ids that a query finds. Tests of metas and metrics are strips of tables
 * that lie in the order of the ids; tests of experiments themselves are conditions of one pass over
 * these.
 */
export function compileQuery(
  terms: QueryTerms,
  query: Query,
  text: SqlText,
  combining: Combining = combiningWithin(terms),
): IdSet {
  return new Sets(terms, text).whole(query, combining);
}

/** Returns how sets are combined where the plan of the statement is not prescribed. */
export function combiningWithin({ reader }: Pick<QueryTerms, "reader">): Combining {
  return reader.dialect === "sqlite" ? "merge" : "probe";
}

/** The SELECT of the experiments that a condition on `e` holds for. */
export function ownSet(terms: QueryTerms, condition: string, text: SqlText): IdSet {
  const { organizationId } = terms;
  const joined = joinedTables(text.joined, "e.id").join(" ");
  const tested = text.joined.has("tested") ? "LEFT JOIN tested ON tested.id = e.folder" : "";
  const sql = `SELECT e.id FROM experiment e ${joined} ${tested}
    WHERE e.organization = ${text.bind(organizationId)} AND e.trashed_at_ms IS NULL
      ${passing(terms, "e.id", text)} AND ${condition}`;
  return { sql, isOnce: true, isOrdered: true };
}

/**
 * Returns the condition of every row scanned: it is in time, and one of the experiments looked for.
 */
export function passing({ reader, among }: QueryTerms, column: string, text: SqlText): string {
  // Strips are clustered.
  const inTime = ` AND ${reader.inTime(column === "e.id" ? "e" : undefined)}`;
  if (among === undefined) return inTime;
  return `${inTime} AND ${reader.isOneOf(column, text.bind(JSON.stringify(among)))}`;
}

const nothing: IdSet = { sql: "SELECT id FROM experiment WHERE 1 = 0", isOnce: true };

class Sets {
  readonly #terms: QueryTerms;
  readonly #text: SqlText;

  constructor(terms: QueryTerms, text: SqlText) {
    this.#terms = terms;
    this.#text = text;
  }

  /**
   * Compiles a whole query. Within a union nothing is in order, so that only the outermost sets are
   * ever joined.
   */
  whole(query: Query, combining: Combining): IdSet {
    return query.kind === "and" && !isOwn(query)
      ? this.#and(query.parts, combining)
      : this.of(query);
  }

  of(query: Query): IdSet {
    if (isOwn(query)) return this.#own(query);
    switch (query.kind) {
      case "and":
        return this.#and(query.parts);
      case "or": {
        const { own, others } = split(query.parts);
        const sets = others.map((part) => this.of(part));
        if (own.length > 0) sets.push(this.#own({ kind: "or", parts: own }));
        return union(sets);
      }
      case "not":
        return this.#and([query]);
      case "exists":
        return this.#test(query.field, undefined);
      case "compare":
        return this.#test(query.field, query);
      case "in":
        return union(
          query.values.map((value) => this.#test(query.field, { operator: "=", value })),
        );
      case "search":
        return this.of(searched(query));
    }
  }

  #and(parts: readonly Query[], combining = combiningWithin(this.#terms)): IdSet {
    const { own, others } = split(parts);
    const sets = others.filter(({ kind }) => kind !== "not").map((part) => this.of(part));
    const left = others.flatMap((part) => (part.kind === "not" ? [this.of(part.part)] : []));
    if (combining === "join" && areMerged(sets) && own.length === 1 && isDone(own[0]))
      left.push(this.#own({ kind: "not", part: own[0] }));
    else if (own.length > 0 || sets.length === 0) sets.push(this.#own({ kind: "and", parts: own }));
    return intersection(combining, sets, left);
  }

  #own(query: Query): IdSet {
    const text = this.#text.part();
    const condition = new OwnConditions(this.#terms, text).of(query);
    return ownSet(this.#terms, condition, text);
  }

  #test(field: Field, comparison: Comparison | undefined): IdSet {
    if (field.kind === "metric") return this.#metric(field, comparison);
    const path = metaPath(field);
    if (path === undefined) return this.#artifact(comparison);
    return this.#meta(path, field.kind === "own", comparison);
  }

  #metric(field: Field & { kind: "metric" }, comparison: Comparison | undefined): IdSet {
    const metric = this.#terms.names.metric(field);
    const number = comparison && doubleOf(comparison.value);
    if (metric === undefined || (comparison !== undefined && number === undefined)) return nothing;
    const own = `metric = ${this.#text.bind(metric)}${this.#passing("experiment")}`;
    const strip = `SELECT experiment FROM metric_summary WHERE ${own}${hasStat(field.stat)}`;
    const isOrdered = true;
    if (comparison === undefined) return { sql: strip, isOnce: true, isOrdered };
    const condition = statTest(field.stat, comparison.operator, number!, this.#text);
    return { sql: `${strip} AND ${condition}`, isOnce: true, isOrdered };
  }

  /**
   * Compares a key of metas. A list is equal to what one of its elements is, and different where
   * none is.
   */
  #meta(path: readonly string[], isText: boolean, comparison: Comparison | undefined): IdSet {
    const key = this.#terms.names.key(path);
    if (key === undefined || isUnordered(isText, comparison)) return nothing;
    const own = `key = ${this.#text.bind(key)}${this.#passing("experiment")}`;
    const strip = `SELECT experiment FROM config_value WHERE ${own} AND `;
    const kinds = isText ? "kind = 3" : kindsOf(comparison);
    const rows = (condition: string) => {
      return { sql: strip + condition, isOnce: condition.startsWith(whole), isOrdered: true };
    };
    if (comparison === undefined) return rows(kinds);
    const { operator, value } = comparison;
    if (operator !== "!=") return rows(this.#leaf(kinds, operator, value));
    const equal = this.#leaf(kinds, "=", value);
    const other = kinds === "kind = 0" ? "kind <> 0" : this.#leaf(kinds, "!=", value);
    // Neither database makes the list of those that have an equal element before it meets a list.
    const isAlone = (single: string) => `(${single} OR experiment NOT IN (${strip} ${equal}))`;
    const hasLists = kinds === "kind = 0" || kinds === "kind >= 3";
    if (!hasLists) return rows(`${other} AND ${isAlone(whole)}`);
    return rows(`${whole} AND ${other} AND ${isAlone("kind <> 4")}`);
  }

  #passing(column: string): string {
    return passing(this.#terms, column, this.#text);
  }

  #leaf(kinds: string, operator: Operator, value: QueryValue): string {
    if (operator === "~")
      return `${kinds} AND ${this.#text.fits(this.#terms.reader, "text", value)}`;
    if (kinds === "kind = 0") return kinds;
    const isNumber = kinds === "kind = 1" || kinds === "kind = 2";
    if (!isNumber) return `${kinds} AND text ${operator} ${this.#text.bind(value.text)}`;
    const number = value.kind === "boolean" ? Number(value.boolean) : numberOf(value);
    return `${kinds} AND number ${operator} ${this.#text.number(number)}`;
  }

  #artifact(comparison: Comparison | undefined): IdSet {
    const { organizationId } = this.#terms;
    const written = `SELECT v.experiment FROM version_experiment v JOIN artifact a ON a.id = v.artifact
      WHERE v.organization = ${this.#text.bind(organizationId)}${this.#passing("v.experiment")}`;
    const rows = (condition: string) => ({ sql: written + condition, isOnce: false });
    if (comparison === undefined) return rows("");
    const { operator, value } = comparison;
    if (operator === "~")
      return rows(` AND ${this.#text.fits(this.#terms.reader, "a.path", value)}`);
    const path = this.#text.bind(value.text);
    if (operator !== "!=") return rows(` AND a.path ${operator} ${path}`);
    const others = [rows(` AND a.path = ${path}`)];
    return intersection(combiningWithin(this.#terms), [rows("")], others);
  }
}

/** Conditions on experiments themselves. None is ever null, so that `not` gives the others. */
class OwnConditions {
  readonly #terms: QueryTerms;
  readonly #text: SqlText;

  constructor(terms: QueryTerms, text: SqlText) {
    this.#terms = terms;
    this.#text = text;
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
        return this.#own(query.field as OwnTest, undefined);
      case "compare":
        return isFolderTest(query) ? this.#folder(query) : this.#own(query.field as OwnTest, query);
      case "in": {
        if (isFolderTest(query)) return this.#folder(query);
        const { field, values } = query;
        const equal = values.map((value) => this.#own(field as OwnTest, { operator: "=", value }));
        return `(${equal.join(" OR ")})`;
      }
      case "search":
        throw new Error("BUG: a search is no condition on experiments alone");
    }
  }

  #joined(parts: readonly Query[], word: string): string {
    return `(${parts.map((part) => this.of(part)).join(word)})`;
  }

  #own(field: OwnTest, comparison: Comparison | undefined): string {
    const { sql, isNullable } = ownColumn(field.name as ColumnField, this.#terms.nowMs, this.#text);
    // An empty description counts as none.
    if (comparison === undefined && field.name === "description") return `(${sql} <> '')`;
    if (comparison === undefined) return `(${sql} IS NOT NULL)`;
    const condition = this.#compared(sql, fieldType(field), comparison);
    return isNullable ? `(${sql} IS NOT NULL AND ${condition})` : `(${condition})`;
  }

  #compared(sql: string, type: string, { operator, value }: Comparison): string {
    const text = this.#text;
    if (operator === "~") return text.fits(this.#terms.reader, sql, value);
    if (["text", "status", "state"].includes(type))
      return `${sql} ${operator} ${text.bind(value.text)}`;
    if (type === "time") return this.#moment(sql, operator, value);
    const number = value.kind === "duration" ? value.milliseconds : numberOf(value);
    return `${sql} ${operator} ${text.number(number)}`;
  }

  #folder(test: FolderTest): string {
    this.#text.joined.add("tested");
    const bit = this.#text.number(this.#terms.folderTests!.bitOf(test));
    const passed = `coalesce(tested.tests, 0) & ${bit}`;
    const isOther = test.kind === "compare" && test.operator === "!=";
    return isOther ? `(e.folder IS NOT NULL AND (${passed}) = 0)` : `((${passed}) <> 0)`;
  }

  /** Compares a time; later than a day means later than its end. */
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
}

type OwnTest = Field & { kind: "own" };

function split(parts: readonly Query[]): { own: Query[]; others: Query[] } {
  return { own: parts.filter(isOwn), others: parts.filter((part) => !isOwn(part)) };
}

/** Whether a query is one condition on experiments themselves. */
export function isOwn(query: Query): boolean {
  return (
    fieldsOf(query).every(
      (field) => field.kind === "own" && field.name !== "artifact" && metaPath(field) === undefined,
    ) && !hasSearch(query)
  );
}

/**
 * Whether a query selects the ended experiments. An index of PostgreSQL has the others (migration
 * 032): leaving those out reads less.
 */
function isDone(query: Query): boolean {
  if (query.kind !== "compare" || query.operator !== "=" || query.field.kind !== "own")
    return false;
  return query.field.name === "status" && query.value.text === "done";
}

function hasSearch(query: Query): boolean {
  if (query.kind === "and" || query.kind === "or") return query.parts.some(hasSearch);
  return query.kind === "not" ? hasSearch(query.part) : query.kind === "search";
}

/** Returns the query by which a text, or a regular expression, is searched for. */
export function searched({ text, isExpression }: Query & { kind: "search" }): Query {
  const value = { kind: isExpression === true ? ("expression" as const) : ("text" as const), text };
  const parts = (["slug", "description", "name", "tag"] as const).map((name) => {
    return {
      kind: "compare" as const,
      field: { kind: "own" as const, name },
      operator: "~" as const,
      value,
    };
  });
  return { kind: "or", parts };
}

interface Comparison {
  operator: Operator;
  value: QueryValue;
}

/** A value itself and not an element of it: an experiment has one at a key. */
const whole = "element = -1";

/**
 * Returns the kinds of values (migration 008) that a comparison applies to: a time is compared as
 * text.
 */
function kindsOf(comparison: Comparison | undefined): string {
  if (comparison === undefined) return whole;
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
    case "expression":
    case "date":
    case "duration":
      return "kind >= 3";
  }
}

/** Whether a comparison has no order: neither null nor a boolean is less than another. */
function isUnordered(isText: boolean, comparison: Comparison | undefined): boolean {
  if (isText || comparison === undefined || ["=", "!=", "~"].includes(comparison.operator))
    return false;
  return comparison.value.kind === "null" || comparison.value.kind === "boolean";
}

/**
 * Returns the number of a value, also for the words of values that are not finite; undefined: it is
 * no number.
 */
function doubleOf(value: QueryValue): number | undefined {
  return value.kind === "number" ? value.number : nonfiniteWord(value);
}

function numberOf(value: QueryValue): number {
  if (value.kind === "number") return value.number;
  throw new Error("BUG: the language compares numbers with numbers only");
}

function lengthOf(value: QueryValue): number {
  if (value.kind === "duration") return value.milliseconds;
  throw new Error("BUG: the language compares times with dates and durations only");
}
