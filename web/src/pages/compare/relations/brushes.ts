import { fieldText, fieldType, parseField } from "@lossless/protocol/query-field";
import { type Query, readQuery } from "@lossless/protocol/query-language";
import { queryText } from "@lossless/protocol/query-text";
import type { QueryValue } from "@lossless/protocol/query-value";
import { type Axis, type AxisValue, categoryPlace, numberAt } from "./axis.ts";

/** A selected part of an axis, which is a test of the query: a range of numbers, or some values. */
export type Brush =
  | { kind: "range"; from: number | undefined; to: number | undefined }
  | { kind: "choice"; values: readonly Exclude<AxisValue, null>[] };

export type Brushes = ReadonlyMap<string, Brush>;

/** The brushes that tests of a query represent; none for an invalid query. */
export function brushesOf(query: string, axes: readonly string[]): Brushes {
  const brushes = new Map<string, Brush>();
  for (const part of partsOf(query)) {
    const field = brushedField(part, axes);
    if (field === undefined) continue;
    if (part.kind === "in") {
      const values = part.values.map(plainValue).filter((value) => value !== null);
      brushes.set(field, { kind: "choice", values });
    } else if (part.kind === "compare") {
      const before = brushes.get(field);
      const range = before?.kind === "range" ? before : { from: undefined, to: undefined };
      const edge = edgeOf(part.operator === "<=", part.value);
      const changed = part.operator === ">=" ? { from: edge } : { to: edge };
      brushes.set(field, { ...range, kind: "range", ...changed });
    }
  }
  return brushes;
}

/** The query after changing the brushes of some axes; undefined removes one. */
export function withBrushes(
  query: string,
  changed: ReadonlyMap<string, Brush | undefined>,
): string {
  const fields = [...changed.keys()];
  const kept = partsOf(query).filter((part) => brushedField(part, fields) === undefined);
  const added = [...changed].flatMap(([field, brush]) => (brush ? testsOf(field, brush) : []));
  return queryText({ kind: "and", parts: [...kept, ...added] });
}

/** Whether the query has these brushes already. */
export function isSaid(brushes: Brushes, changed: ReadonlyMap<string, Brush | undefined>): boolean {
  return [...changed].every(([field, brush]) => textOf(brush) === textOf(brushes.get(field)));
}

/** Whether a value passes the tests that a brush stands for. */
export function isWithin(brush: Brush, value: AxisValue): boolean {
  if (brush.kind === "choice") return value !== null && brush.values.includes(value);
  const { from = -Infinity, to = Infinity } = brush;
  return typeof value === "number" && value >= from && value <= to;
}

/** The brush between two places of an axis. */
export function brushBetween(axis: Axis, low: number, high: number): Brush | undefined {
  if (axis.kind === "category") {
    const { length } = axis.categories;
    const values = axis.categories.filter((_, at) => {
      const place = categoryPlace(at, length);
      return place >= low && place <= high;
    });
    return values.length === 0 ? undefined : { kind: "choice", values };
  }
  // A range dragged over an end is open: later values may lie beyond it.
  const from = low <= 0 ? undefined : rounded(axis, numberAt(axis, low));
  const to = high >= 1 ? undefined : rounded(axis, numberAt(axis, high));
  return from === undefined && to === undefined ? undefined : { kind: "range", from, to };
}

function textOf(brush: Brush | undefined): string | undefined {
  if (brush === undefined) return undefined;
  const { kind } = brush;
  return JSON.stringify(kind === "choice" ? brush.values : [kind, brush.from, brush.to]);
}

function partsOf(query: string): readonly Query[] {
  const { query: read } = readQuery(query);
  if (read === undefined) return [];
  return read.kind === "and" ? read.parts : [read];
}

function brushedField(part: Query, axes: readonly string[]): string | undefined {
  const isRange = part.kind === "compare" && (part.operator === ">=" || part.operator === "<=");
  if (!isRange && part.kind !== "in") return undefined;
  const field = fieldText(part.field);
  return axes.includes(field) ? field : undefined;
}

function edgeOf(isEnd: boolean, value: QueryValue): number | undefined {
  if (value.kind === "number") return value.number;
  if (value.kind === "duration") return value.milliseconds;
  if (value.kind === "date") return isEnd ? value.endMs - 1 : value.startMs;
  return undefined;
}

function testsOf(text: string, brush: Brush): Query[] {
  const field = parseField(text);
  if (brush.kind === "choice") return [{ kind: "in", field, values: brush.values.map(queryValue) }];
  const { from, to } = brush;
  const type = fieldType(field);
  const test = (operator: ">=" | "<=", edge: number | undefined): Query[] =>
    edge === undefined
      ? []
      : [{ kind: "compare", field, operator, value: edgeValue(type, edge, operator === "<=") }];
  return [...test(">=", from), ...test("<=", to)];
}

function queryValue(value: Exclude<AxisValue, null>): QueryValue {
  const text = String(value);
  if (typeof value === "number") return { kind: "number", text, number: value };
  if (typeof value === "boolean") return { kind: "boolean", text, boolean: value };
  return { kind: "text", text };
}

function plainValue(value: QueryValue): AxisValue {
  if (value.kind === "number") return value.number;
  if (value.kind === "boolean") return value.boolean;
  return value.kind === "null" ? null : value.text;
}

/**
 * The value of an edge: durations are rounded outwards to seconds; a moment includes its whole
 * second.
 */
function edgeValue(type: string, edge: number, isEnd: boolean): QueryValue {
  if (type === "duration") {
    const seconds = isEnd ? Math.ceil(edge / 1_000) : Math.floor(edge / 1_000);
    return { kind: "duration", text: `${seconds}s`, milliseconds: seconds * 1_000 };
  }
  if (type !== "time") return { kind: "number", text: String(edge), number: edge };
  const startMs = Math.floor(edge / 1_000) * 1_000;
  const text = new Date(startMs).toISOString().replace(".000Z", "Z");
  return { kind: "date", text, startMs, endMs: startMs + 1_000 };
}

/** Rounds to the precision of a hand. */
function rounded({ kind, start, end, isLog }: Axis, value: number): number {
  if (kind !== "number") return Math.round(value);
  if (isLog) return Number(value.toPrecision(3));
  const digits = Math.max(0, Math.min(20, 3 - Math.floor(Math.log10(end - start))));
  return Number(value.toFixed(digits));
}
