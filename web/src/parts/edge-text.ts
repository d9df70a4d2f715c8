import { timeText } from "./words.ts";

/** Kinds of axes with edges: those of categories have values. */
export type EdgeKind = "number" | "time" | "duration";

/** Examples of edges, as placeholders. */
export const edgeExamples: Record<EdgeKind, string> = {
  number: "0.001",
  time: "2026-03-01 12:00",
  duration: "90s, 10m, 2h",
};

/** Writes an edge of a range as people do; times are on the reader's clock. */
export function edgeText(kind: EdgeKind, edge: number): string {
  if (kind === "time") return timeText(edge);
  return kind === "duration" ? lengthText(edge) : String(edge);
}

/**
 * Parses an edge; undefined for other texts. The end of a range includes the whole day or minute.
 */
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

/** A duration in the largest unit of which it is a multiple, as in queries. */
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
  // Rejects the 30th of February, and hours that clocks skip.
  return timeText(ms) === `${day} ${rest.join("")}` ? ms : undefined;
}
