import type { TableRow } from "@lossless/protocol";
import { fieldType, type FieldType, parseField } from "@lossless/protocol/query-field";
import { momentTexts } from "../../../chart/axes/moment-texts.ts";
import { numberTexts, spanTexts, type TickTexts } from "../../../chart/axes/tick-texts.ts";
import { spanText, timeText, valueText } from "../../../parts/words.ts";

export type AxisValue = TableRow["values"][number];

/** An axis: maps values to places from 0 to 1. */
export interface Axis {
  /** The field in the query language's spelling. */
  field: string;
  /** A time is a moment and a duration a length, both in milliseconds. */
  kind: "number" | "time" | "duration" | "category";
  isLog: boolean;
  /** The numbers at its ends; categories begin at 0. */
  start: number;
  end: number;
  /** The values of a category, in order. */
  categories: readonly Exclude<AxisValue, null>[];
  ticks: readonly { place: number; text: string }[];
  /** Unit and origin of the ticks' numbers. */
  note: string;
}

/** An axis that covers all values; a logarithmic one those above 0. */
export function axisOf(field: string, values: readonly AxisValue[], wantsLog: boolean): Axis {
  const type = fieldType(parseField(field));
  const known = values
    .filter((value) => value !== null)
    .filter((value) => !isNotFinite(type, value));
  const numbers = known.filter((value) => typeof value === "number");
  if (numbers.length < known.length || known.length === 0) return categoryAxis(field, known);
  const kind: Axis["kind"] = type === "time" || type === "duration" ? type : "number";
  const positive = numbers.filter((number) => number > 0);
  const isLog = wantsLog && positive.length > 0;
  const held = isLog ? positive : numbers;
  const [least, largest] = [Math.min(...held), Math.max(...held)];
  const [start, end] = least === largest ? around(least, isLog) : [least, largest];
  const axis = { field, kind, isLog, start, end, categories: [] };
  const few = kind === "number" ? fewValues(held, axis) : undefined;
  const places = few ?? ticksOf(start, end, isLog, kind);
  const { texts, note } = tickTexts(kind, places);
  const ticks = places.map((value, at) => ({ place: placeIn(axis, value), text: texts[at] }));
  return { ...axis, ticks, note };
}

/** Ratio of the largest to the least number from which their logarithms may be drawn. */
const logRatio = 30;
/** The place of the median below which numbers crowd at the lower end of a linear axis. */
const crowded = 0.2;

/** Whether the numbers of a field are easier told apart by their logarithms. */
export function wantsLog(field: string, values: readonly AxisValue[]): boolean {
  const type = fieldType(parseField(field));
  if (type === "time" || type === "duration") return false;
  const numbers = values.filter((value) => typeof value === "number");
  const others = values.filter((value) => value !== null && typeof value !== "number");
  if (others.some((value) => !isNotFinite(type, value)) || numbers.length === 0) return false;
  const sorted = numbers.toSorted((one, other) => one - other);
  const [least, largest] = [sorted[0], sorted.at(-1)!];
  if (!(least > 0) || largest / least < logRatio) return false;
  const median = sorted[sorted.length >>> 1];
  return (median - least) / (largest - least) < crowded;
}

/** The last value of a metric is a word if it is not finite. */
function isNotFinite(type: FieldType, value: AxisValue): boolean {
  return type === "metric" && typeof value === "string";
}

/** The place of a value; undefined: it has none. */
export function placeOf(axis: Axis, value: AxisValue): number | undefined {
  if (value === null) return undefined;
  if (axis.kind === "category") {
    const at = axis.categories.indexOf(value);
    return at < 0 ? undefined : categoryPlace(at, axis.categories.length);
  }
  if (typeof value !== "number" || (axis.isLog && value <= 0)) return undefined;
  return placeIn(axis, value);
}

/** The number at a place of a numeric axis. */
export function numberAt({ start, end, isLog }: Axis, place: number): number {
  if (isLog) return start * (end / start) ** place;
  return start + (end - start) * place;
}

export function axisText({ kind }: Pick<Axis, "kind">, value: AxisValue): string {
  if (value === null) return "–";
  if (typeof value !== "number" || kind === "category") return String(value);
  if (kind === "time") return timeText(value);
  return kind === "duration" ? spanText(value) : valueText(value);
}

/** Texts of ticks, all different. */
function tickTexts(kind: Axis["kind"], values: readonly number[]): TickTexts {
  if (kind === "duration") return spanTexts(values);
  if (kind !== "time") return numberTexts(values);
  return momentTexts(values);
}

function categoryAxis(field: string, known: readonly Exclude<AxisValue, null>[]): Axis {
  const categories = [...new Set(known)].sort(byKind);
  const every = Math.ceil(categories.length / labelsMax);
  const ticks = categories.flatMap((value, at) => {
    const tick = { place: categoryPlace(at, categories.length), text: String(value) };
    return at % every === 0 ? [tick] : [];
  });
  const last = Math.max(0, categories.length - 1);
  return {
    field,
    kind: "category",
    isLog: false,
    start: 0,
    end: last,
    categories,
    ticks,
    note: "",
  };
}

/** Labels beside an axis at most; more would overlap. */
const labelsMax = 14;

export function categoryPlace(at: number, count: number): number {
  return count === 1 ? 0.5 : at / (count - 1);
}

/** Orders numbers before booleans before texts. */
function byKind(left: Exclude<AxisValue, null>, right: Exclude<AxisValue, null>): number {
  const rank = (value: unknown) => ["number", "boolean", "string"].indexOf(typeof value);
  if (rank(left) !== rank(right)) return rank(left) - rank(right);
  return left < right ? -1 : left > right ? 1 : 0;
}

function placeIn({ start, end, isLog }: Pick<Axis, "start" | "end" | "isLog">, value: number) {
  return isLog ? Math.log(value / start) / Math.log(end / start) : (value - start) / (end - start);
}

/** A range around a single value. */
function around(value: number, isLog: boolean): [number, number] {
  if (isLog) return [value / 2, value * 2];
  const margin = Math.abs(value) / 10 || 1;
  return [value - margin, value + margin];
}

/** Values of which each has a tick, and how near two of their ticks may stand. */
const fewMax = 6;
const nearest = 0.06;

/** The values themselves, where they are few and repeated, as batch sizes are: 32, 64 and 128. */
function fewValues(
  numbers: readonly number[],
  axis: Pick<Axis, "start" | "end" | "isLog">,
): number[] | undefined {
  const values = [...new Set(numbers)].sort((one, other) => one - other);
  if (values.length < 2 || values.length > fewMax || numbers.length < 2 * values.length)
    return undefined;
  const places = values.map((value) => placeIn(axis, value));
  const isApart = places.every((place, at) => at === 0 || place - places[at - 1] >= nearest);
  return isApart ? values : undefined;
}

const ticksWanted = 5;

function ticksOf(start: number, end: number, isLog: boolean, kind: Axis["kind"]): number[] {
  if (kind !== "number") return [start, (start + end) / 2, end];
  return numberTicks(start, end, isLog);
}

/** Round numbers between the ends of an axis. */
export function numberTicks(start: number, end: number, isLog: boolean): number[] {
  return isLog ? logTicks(start, end) : linearTicks(start, end);
}

function linearTicks(start: number, end: number): number[] {
  const rough = (end - start) / ticksWanted;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((each) => each >= rough)!;
  const first = Math.ceil(start / step);
  const count = Math.floor(end / step) - first + 1;
  if (!Number.isFinite(count) || count > 2 * ticksWanted || count < 1) return [start, end];
  const ticks = Array.from({ length: count }, (_, at) => (first + at) * step);
  const inside = [...new Set(ticks.map((tick) => Number(tick.toPrecision(16))))];
  return inside.every((tick) => tick >= start && tick <= end) ? inside : [start, end];
}

/** Powers of ten, with 2 and 5 in between where there are few. */
function logTicks(start: number, end: number): number[] {
  const decades = Math.log10(end / start);
  const factors = decades < 3 ? [1, 2, 5] : [1];
  const every = Math.ceil(decades / 6);
  const [from, to] = [Math.floor(Math.log10(start)), Math.ceil(Math.log10(end))];
  const ticks: number[] = [];
  for (let power = from; power <= to; power++) {
    if (power % every !== 0) continue;
    ticks.push(...factors.map((factor) => Number(`${factor}e${power}`)));
  }
  const inside = ticks.filter((tick) => tick >= start && tick <= end);
  return inside.length < 2 ? [start, end] : inside;
}
