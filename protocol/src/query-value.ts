import { newestStates } from "./attempt-states.ts";
import type { FieldType } from "./query-field.ts";
import { isWord, quoted, type Token } from "./query-tokens.ts";

/** A value that a field is compared with. `text` is as written; text fields compare with it. */
export type QueryValue =
  | { kind: "text"; text: string }
  /** A regular expression with its slashes, after `~` only. */
  | { kind: "expression"; text: string }
  | { kind: "null"; text: string }
  | { kind: "boolean"; text: string; boolean: boolean }
  | { kind: "number"; text: string; number: number }
  /** For a time field: this far before now (negative) or after it. */
  | { kind: "duration"; text: string; milliseconds: number }
  /** The whole day, minute or second: milliseconds since 1970, `endMs` is exclusive. */
  | { kind: "date"; text: string; startMs: number; endMs: number };

export function readValue({ kind, text }: Token): QueryValue {
  if (kind === "text") return { kind: "text", text };
  if (text === "null") return { kind: "null", text };
  if (text === "true" || text === "false")
    return { kind: "boolean", text, boolean: text === "true" };
  return numberIn(text) ?? durationIn(text) ?? dateIn(text) ?? { kind: "text", text };
}

/** Writes the value in the query language; parsing the text gives the value again. */
export function valueText({ kind, text }: QueryValue): string {
  if (kind !== "text") return text;
  const isPlain = isWord(text) && readValue({ kind: "word", text, start: 0, end: 0 }).kind === kind;
  return isPlain ? text : quoted(text);
}

/**
 * Says which value an own field of this type needs; undefined: it can be compared with this one.
 */
export function valueProblem(type: FieldType, { kind, text }: QueryValue): string | undefined {
  switch (type) {
    case "number":
      return kind === "number" ? undefined : "a number";
    case "duration":
      return kind === "duration" ? undefined : "a duration such as 90s, 10m, 2h, 7d or 4w";
    case "time":
      if (kind === "date" || kind === "duration") return undefined;
      return "a date such as 2026-03-01 or 2026-03-01T12:00Z, or a time before now such as -7d";
    case "status":
    case "state": {
      const words = wordsOf(type);
      return words.includes(text) ? undefined : `one of ${words.join(", ")}`;
    }
    case "text":
    case "folder":
    case "meta":
    case "metric":
      return undefined;
  }
}

/** The words that a field of this type may be; empty: it has any values. */
export function wordsOf(type: FieldType): readonly string[] {
  if (type === "status") return ["running", "done", "error"];
  return type === "state" ? newestStates : [];
}

function numberIn(text: string): QueryValue | undefined {
  const number = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Infinity;
  return Number.isFinite(number) ? { kind: "number", text, number } : undefined;
}

export function isDate(text: string): boolean {
  return dateIn(text) !== undefined;
}

/** Reads a non-finite value of a metric: `nan`, `inf`, `-inf`, in any case. */
export function nonfiniteWord({ kind, text }: QueryValue): number | undefined {
  const [, sign, word] = /^([+-]?)(nan|inf|infinity)$/i.exec(text) ?? [];
  if (kind !== "text" || word === undefined) return undefined;
  if (word.toLowerCase() === "nan") return NaN;
  return sign === "-" ? -Infinity : Infinity;
}

/** Units of durations. */
export const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function durationIn(text: string): QueryValue | undefined {
  if (!/^-?\d{1,9}[smhdw]$/.test(text)) return undefined;
  const unitMs = unitsMs[text.at(-1) as keyof typeof unitsMs];
  return { kind: "duration", text, milliseconds: Number(text.slice(0, -1)) * unitMs };
}

function dateIn(text: string): QueryValue | undefined {
  const [, day, minute, second] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?Z)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const iso = `${day}T${minute ?? "00:00"}${second ?? ":00"}.000Z`;
  const startMs = Date.parse(iso);
  // Date.parse takes the 30th of February for a day of March.
  if (Number.isNaN(startMs) || new Date(startMs).toISOString() !== iso) return undefined;
  const widthMs = minute === undefined ? 86_400_000 : second === undefined ? 60_000 : 1_000;
  return { kind: "date", text, startMs, endMs: startMs + widthMs };
}
