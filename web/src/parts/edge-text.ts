import { timeText } from "./words.ts";

/** Axes that have edges: categories have values. */
export type EdgeKind = "number" | "time" | "duration";

/** How an edge is written, for whom does not know. */
export const edgeExamples: Record<EdgeKind, string> = {
  number: "0.001",
  time: "2026-03-01 12:00",
  duration: "90s, 10m, 2h",
};

/** An end of a part of an axis as somebody writes it; times are those of the reader's clock. */
export function edgeText(kind: EdgeKind, edge: number): string {
  if (kind === "time") return timeText(edge);
  return kind === "duration" ? lengthText(edge) : String(edge);
}

/** What somebody has written; undefined: that is no edge. A day or a minute is all of it. */
export function edgeIn(kind: EdgeKind, text: string, isEnd: boolean): number | undefined {
  if (kind === "time") return timeIn(text, isEnd);
  const number = kind === "duration" ? lengthIn(text) : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

const units = [
  ["w", 604_800_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** In the largest unit of which it is a whole number, as queries have it. */
function lengthText(ms: number): string {
  const [unit, length] = units.find(([, each]) => ms !== 0 && ms % each === 0) ?? ["s", 1_000];
  return `${ms / length}${unit}`;
}

function lengthIn(text: string): number {
  const [, count, named] = /^(-?\d+(?:\.\d+)?) ?([smhdw])$/.exec(text) ?? [];
  const unit = units.find(([each]) => each === named);
  return unit === undefined ? NaN : Number(count) * unit[1];
}

function timeIn(text: string, isEnd: boolean): number | undefined {
  const [, day, minute, second] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const rest = isEnd ? [minute ?? "23:59", second ?? ":59"] : [minute ?? "00:00", second ?? ":00"];
  const ms = Date.parse(`${day}T${rest.join("")}`);
  // The 30th of February is no day, and an hour that clocks leave out is none either.
  return timeText(ms) === `${day} ${rest.join("")}` ? ms : undefined;
}
