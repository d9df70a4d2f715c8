import type { Field, Query, QueryValue, Stat, TableRow } from "@lossless/protocol";
import { fieldType } from "@lossless/protocol/query-field";
import type { Operator } from "@lossless/protocol/query-language";
import { nonfiniteWord } from "@lossless/protocol/query-value";
import type { Json, JsonObject } from "../../http.ts";

/** An experiment as the model of the table knows it. */
export interface ModelExperiment {
  record: JsonObject;
  folder: string | null;
  /** Those that are not finite are annotations. */
  points: { name: string; meta: Record<string, string>; step: number; value: number }[];
}

type Cell = TableRow["values"][number];

/** Whether a query finds an experiment: what the language's page says, without SQL. */
export function finds(query: Query, experiment: ModelExperiment, nowMs: number): boolean {
  switch (query.kind) {
    case "and":
      return query.parts.every((part) => finds(part, experiment, nowMs));
    case "or":
      return query.parts.some((part) => finds(part, experiment, nowMs));
    case "not":
      return !finds(query.part, experiment, nowMs);
    case "exists":
      return exists(query.field, experiment, nowMs);
    case "in":
      return query.values.some((value) =>
        finds({ kind: "compare", field: query.field, operator: "=", value }, experiment, nowMs),
      );
    case "compare":
      return compares(query, experiment, nowMs);
    case "search":
      return (["slug", "name", "tag", "description"] as const).some((name) =>
        valuesOf({ kind: "own", name }, experiment, nowMs).some(
          (value) =>
            typeof value === "string" &&
            isLike(value, query.isExpression === true ? expressionOf(query.text) : query.text),
        ),
      );
  }
}

/** A description is there where it is not empty. */
function exists(field: Field, experiment: ModelExperiment, nowMs: number): boolean {
  if (field.kind === "own" && field.name === "description")
    return experiment.record.description !== "";
  return valuesOf(field, experiment, nowMs).length > 0;
}

/** The content of a column, by which rows are sorted. */
export function cellOf(field: Field, experiment: ModelExperiment, nowMs: number): Cell {
  const path = metaPath(field);
  if (path === undefined) {
    const value = (valuesOf(field, experiment, nowMs)[0] as Cell) ?? null;
    return typeof value !== "number" || Number.isFinite(value) ? value : String(value);
  }
  const leaf = leafAt(experiment.record.meta, path);
  return typeof leaf === "object" && leaf !== null ? JSON.stringify(leaf) : (leaf ?? null);
}

/** Numbers before texts, what is missing last in either direction, ties by id. */
export function compareRows(
  sort: readonly { field: Field; descending: boolean }[],
  left: ModelExperiment,
  right: ModelExperiment,
): number {
  for (const { field, descending } of sort) {
    const [one, other] = [left, right].map((each) => sortedBy(field, each));
    const order =
      field.kind === "metric"
        ? compareMetrics(one, other, descending)
        : compareCells(one, other, descending);
    if (order !== 0) return order;
  }
  return compareTexts(String(left.record.experimentId), String(right.record.experimentId));
}

/** Folders by their names, from the outermost on: each before those below it. */
function sortedBy(field: Field, experiment: ModelExperiment): Cell {
  const cell = cellOf(field, experiment, 0);
  const isFolder = field.kind === "own" && field.name === "folder";
  return isFolder && typeof cell === "string" ? cell.replaceAll("/", "\u0000") : cell;
}

/** Numbers, then infinities, then NaN, then what is missing. */
function compareMetrics(left: Cell, right: Cell, descending: boolean): number {
  const ranks = [left, right].map((cell) =>
    cell === null ? 3 : cell === "NaN" ? 2 : typeof cell === "string" ? 1 : 0,
  );
  if (ranks[0] !== ranks[1] || ranks[0] > 1) return ranks[0] - ranks[1];
  const [one, other] = [Number(left), Number(right)];
  const order = one < other ? -1 : one > other ? 1 : 0;
  return descending ? -order : order;
}

function compareCells(left: Cell, right: Cell, descending: boolean): number {
  const [leftKind, rightKind] = [left, right].map((cell) =>
    cell === null ? 2 : typeof cell === "string" ? 1 : 0,
  );
  if (leftKind !== rightKind) return leftKind - rightKind;
  if (left === null) return 0;
  const order =
    leftKind === 1
      ? compareTexts(String(left), String(right))
      : Number(left) - Number(right) || compareTexts(String(left), String(right));
  return descending ? -order : order;
}

function compareTexts(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function compares(
  { field, operator, value }: Query & { kind: "compare" },
  experiment: ModelExperiment,
  nowMs: number,
): boolean {
  const type = fieldType(field);
  const values = valuesOf(field, experiment, nowMs);
  if (type === "meta") {
    const wanted = operator === "~" ? patternOf(value) : scalarOf(value);
    const kind = operator === "~" ? "string" : kindOf(wanted);
    const comparable = values.filter((each) => kindOf(each) === kind);
    const tests = (sign: Operator) => comparable.some((each) => holds(sign, plain(each), wanted));
    if (operator !== "!=") return tests(operator);
    return (value.kind === "null" ? values : comparable).length > 0 && !tests("=");
  }
  if (type === "metric") {
    const number = value.kind === "number" ? value.number : nonfiniteWord(value);
    if (number === undefined) return false;
    return values.some((each) => {
      if (operator === "=" || operator === "!=")
        return (each === number || Object.is(each, number)) === (operator === "=");
      return holds(operator, each, number);
    });
  }
  if (type === "time") return values.some((each) => atTime(operator, Number(each), value, nowMs));
  if (type === "folder") {
    return values.some((path) => {
      const above = String(path)
        .split("/")
        .map((_, at, names) => names.slice(0, at + 1).join("/"));
      const isIn = above.some((each) =>
        operator === "~" ? isLike(each, patternOf(value)) : each === value.text,
      );
      return operator === "!=" ? !isIn : isIn;
    });
  }
  const wanted =
    value.kind === "duration" && type === "duration"
      ? value.milliseconds
      : value.kind === "number" && type === "number"
        ? value.number
        : operator === "~"
          ? patternOf(value)
          : value.text;
  if (operator !== "!=") return values.some((each) => holds(operator, each, wanted));
  return values.length > 0 && !values.some((each) => holds("=", each, wanted));
}

function holds(operator: Operator, left: unknown, right: unknown): boolean {
  const order =
    typeof left === "string" && typeof right === "string"
      ? compareTexts(left, right)
      : left === right
        ? 0
        : Number(left) - Number(right);
  const isOrdered = typeof left === "string" || typeof left === "number";
  switch (operator) {
    case "~":
      return isLike(String(left), right as string | RegExp);
    case "=":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return isOrdered && order < 0;
    case "<=":
      return isOrdered && order <= 0;
    case ">":
      return isOrdered && order > 0;
    case ">=":
      return isOrdered && order >= 0;
  }
}

function atTime(operator: Operator, timeMs: number, value: QueryValue, nowMs: number): boolean {
  const startMs =
    value.kind === "date"
      ? value.startMs
      : nowMs + (value as { milliseconds: number }).milliseconds;
  const endMs = value.kind === "date" ? value.endMs : startMs + 1;
  const order = timeMs < startMs ? -1 : timeMs >= endMs ? 1 : 0;
  return holds(operator, order, 0);
}

/** The values of a field: each element of a list, and the list as JSON. */
function valuesOf(field: Field, experiment: ModelExperiment, nowMs: number): unknown[] {
  const path = metaPath(field);
  if (path !== undefined) {
    const leaf = leafAt(experiment.record.meta, path);
    const isText = field.kind === "own";
    if (leaf === undefined) return [];
    const all = Array.isArray(leaf) ? [leaf, ...leaf.filter((each) => !isInner(each))] : [leaf];
    return isText ? all.filter((each) => typeof each === "string") : all;
  }
  if (field.kind === "metric") return statOf(field, experiment);
  const { record } = experiment;
  const isRunning = record.status === "running";
  const { name } = field as Field & { kind: "own" };
  switch (name as string) {
    case "id":
      return [record.experimentId];
    case "folder":
      return present(experiment.folder);
    case "created":
    case "updated":
    case "started":
    case "done":
      return present(record[`${name}AtMs`]);
    case "age":
      return [nowMs - Number(record.createdAtMs)];
    case "silent":
      return isRunning ? [nowMs - Number(record.appendedAtMs)] : [];
    case "began":
      return [trainingOf(experiment).beganMs];
    case "duration": {
      const { beganMs, endedMs } = trainingOf(experiment);
      return [(endedMs ?? nowMs) - beganMs];
    }
    case "points":
      return [experiment.points.filter(({ value }) => Number.isFinite(value)).length];
    case "artifact":
      return [];
    default:
      return present(record[name]);
  }
}

/** Points lie before the start: they alone count, but of what runs the end is now. */
function trainingOf({ record, points }: ModelExperiment) {
  const isRunning = record.status === "running";
  if (points.some(({ value }) => Number.isFinite(value)))
    return { beganMs: pointsAtMs, endedMs: isRunning ? undefined : pointsAtMs };
  const endedMs = isRunning ? undefined : Number(record.doneAtMs ?? record.errorAtMs);
  return { beganMs: Number(record.startedAtMs ?? record.createdAtMs), endedMs };
}

/** The time of points that `ExperimentCaller.metric` has by default. */
const pointsAtMs = 1_700_000_000_000;

function statOf(field: Field & { kind: "metric" }, { points }: ModelExperiment): number[] {
  const { name, partition, stat } = field;
  const own = points.filter(
    (point) =>
      point.name === name &&
      (partition === undefined || JSON.stringify(point.meta) === JSON.stringify(partition)),
  );
  if (own.length === 0) return [];
  const inOrder = own.toSorted((left, right) => left.step - right.step);
  const bySteps = inOrder.filter(({ value }) => Number.isFinite(value));
  const values = bySteps.map(({ value }) => value);
  const last = inOrder.at(-1)!;
  const nonfinite = own.length - values.length;
  const ofAll = { last: last.value, laststep: last.step, count: values.length, nonfinite };
  if (Object.hasOwn(ofAll, stat)) return [ofAll[stat as keyof typeof ofAll]];
  if (values.length === 0) return [];
  const stepOf = (value: number) => bySteps.find((point) => point.value === value)!.step;
  const stats: Record<Exclude<Stat, keyof typeof ofAll>, number> = {
    first: bySteps[0].value,
    min: Math.min(...values),
    max: Math.max(...values),
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    firststep: bySteps[0].step,
    minstep: stepOf(Math.min(...values)),
    maxstep: stepOf(Math.max(...values)),
  };
  return [stats[stat as keyof typeof stats]];
}

function metaPath(field: Field): readonly string[] | undefined {
  if (field.kind === "meta") return field.path;
  if (field.kind === "metric") return undefined;
  const aliases: Record<string, string[]> = {
    name: ["_name"],
    tag: ["_tags"],
    group: ["_group"],
    commit: ["_source", "commit"],
  };
  return aliases[field.name];
}

/** An object with members has leaves, and is none. */
function leafAt(meta: Json, path: readonly string[]): Json | undefined {
  const found = memberAt(meta, path);
  const isParent =
    isInner(found) && !Array.isArray(found) && Object.keys(found as object).length > 0;
  return isParent ? undefined : found;
}

function memberAt(meta: Json, path: readonly string[]): Json | undefined {
  let found: Json | undefined = meta;
  for (const key of path) {
    if (typeof found !== "object" || found === null || Array.isArray(found)) return undefined;
    found = Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

function isInner(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value === "object" ? "string" : typeof value;
}

function plain(value: unknown): unknown {
  return isInner(value) ? JSON.stringify(value) : value;
}

function patternOf({ kind, text }: QueryValue): string | RegExp {
  return kind === "expression" ? expressionOf(text) : text;
}

function expressionOf(text: string): RegExp {
  return new RegExp(text.slice(1, -1), "su");
}

function scalarOf(value: QueryValue): unknown {
  if (value.kind === "number") return value.number;
  if (value.kind === "boolean") return value.boolean;
  return value.kind === "null" ? null : value.text;
}

function present(value: unknown): unknown[] {
  return value === null || value === undefined ? [] : [value];
}

/** An expression is one of small letters. */
function isLike(value: string, pattern: string | RegExp): boolean {
  if (pattern instanceof RegExp) return pattern.test(lowered(value));
  const [text, wanted] = [lowered(value), lowered(pattern)];
  if (!wanted.includes("*")) return text.includes(wanted);
  const parts = wanted.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "su").test(text);
}

function lowered(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
