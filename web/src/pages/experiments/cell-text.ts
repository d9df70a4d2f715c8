import type { TableRow } from "@lossless/protocol";
import { ownFields } from "@lossless/protocol/query-field";
import { type Life, lifeOf } from "../../parts/liveness.ts";
import { measureText, unitOf } from "../../parts/units.ts";
import { countText, durationText, timeText, valueText } from "../../parts/words.ts";
import { tagsIn } from "../../tags/tags.ts";
import type { Column } from "./columns.ts";

export type CellValue = TableRow["values"][number];

/** The text of a cell; `title` is the full content on hover, where there is more. */
export interface Cell {
  text: string;
  title?: string;
}

const nothing: Cell = { text: "–" };

/** The value of a cell: the row's own facts change at once, its columns with the next read. */
export function valueOf({ field }: Column, row: TableRow, place: number): CellValue {
  if (field === "points") return row.points;
  return field === "updated" ? row.updatedAtMs : row.values[place];
}

export function cellOf(column: Column, value: CellValue, nowMs: number): Cell {
  if (value === null) return nothing;
  if (column.kind.kind === "metric" && typeof value === "string")
    return { text: numberText(value), title: value };
  if (typeof value !== "number") return { text: String(value), title: String(value) };
  const { kind } = column;
  if (kind.kind === "metric")
    return kind.stat === "count" || kind.stat === "nonfinite" || kind.stat.endsWith("step")
      ? { text: countText(value) }
      : { text: measuredText(value, kind.name), title: String(value) };
  if (kind.kind === "meta") return { text: chosenText(value), title: String(value) };
  switch (ownFields[kind.name]) {
    case "number":
      return { text: countText(value) };
    case "time":
      return { text: `${durationText(nowMs - value)} ago`, title: timeText(value) };
    case "duration":
      return { text: durationText(value) };
    case "text":
    case "status":
    case "state":
    case "folder":
      return { text: String(value) };
  }
}

/**
 * The full value of a cell, as it is copied: a moment as a time, a number with all digits, tags
 * separated by commas.
 */
export function copiedText(column: Column, value: CellValue): string {
  if (value === null) return "";
  const tags = tagsOf(column, value);
  if (tags !== undefined && tags.length > 0) return tags.join(", ");
  const { kind } = column;
  const type = kind.kind === "own" ? ownFields[kind.name] : undefined;
  if (typeof value === "number" && type === "time") return timeText(value);
  if (typeof value === "number" && type === "duration") return durationText(value);
  return String(value);
}

/** The tags of a cell; undefined: the column has no tags. */
export function tagsOf({ kind }: Column, value: CellValue): string[] | undefined {
  const isOwn = kind.kind === "own" && kind.name === "tag";
  if (!isOwn && !(kind.kind === "meta" && kind.path.join() === "_tags")) return undefined;
  return tagsIn(typeof value === "string" ? parsedTags(value) : undefined);
}

/** A list is shown as its JSON, which may be cut; a single text as it is. */
function parsedTags(text: string): unknown {
  if (!text.startsWith("[")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Chosen values, such as a seed, are shown as they were written, without commas. */
function chosenText(value: number): string {
  const text = String(value);
  return text.length > 10 ? valueText(value) : text;
}

/** A number, or the word of a value that is not finite. */
export function numberText(value: number | string, metric?: string): string {
  if (typeof value === "number") return measuredText(value, metric);
  return value.replace("Infinity", "∞").replace("-", "−");
}

/**
 * A value of a metric, with its unit if the metric has one. The same number of digits in each row,
 * so that decimal points of a column align.
 */
export function measuredText(value: number, metric?: string): string {
  const unit = metric === undefined ? undefined : unitOf(metric);
  if (unit !== undefined) return measureText(value, unit);
  if (Number.isSafeInteger(value)) return countText(value);
  const size = Math.abs(value);
  return size >= 1e6 || size < 1e-4 ? valueText(value) : sixDigits.format(value);
}

const sixDigits = new Intl.NumberFormat("en", {
  minimumSignificantDigits: 6,
  maximumSignificantDigits: 6,
});

/** The words after the status: facts of the process, otherwise the status's age. */
export function lifeText(row: TableRow, nowMs: number): Life {
  const since = durationText(nowMs - row.statusAtMs);
  const text = row.status === "running" ? `for ${since}` : `${since} ago`;
  return lifeOf(row, nowMs) ?? { text, isBad: false };
}
