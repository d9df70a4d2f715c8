import type { TableRow } from "@lossless/protocol";
import { ownFields } from "@lossless/protocol/query-field";
import { type Life, lifeOf } from "../../parts/liveness.ts";
import { countText, durationText, timeText, valueText } from "../../parts/words.ts";
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
      : { text: measuredText(value), title: String(value) };
  if (kind.kind === "meta") return { text: chosenText(value), title: String(value) };
  switch (ownFields[kind.name]) {
    case "number":
      return { text: countText(value) };
    case "time":
      return { text: durationText(nowMs - value), title: timeText(value) };
    case "duration":
      return { text: durationText(value) };
    case "text":
    case "status":
    case "state":
    case "folder":
      return { text: String(value) };
  }
}

/** Chosen values, such as a seed, are shown as they were written, without commas. */
function chosenText(value: number): string {
  const text = String(value);
  return text.length > 10 ? valueText(value) : text;
}

/** A number, or the word of a value that is not finite. */
export function numberText(value: number | string): string {
  if (typeof value === "number") return measuredText(value);
  return value.replace("Infinity", "∞").replace("-", "−");
}

/** The same number of digits in each row, so that decimal points of a column align. */
export function measuredText(value: number): string {
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
  return lifeOf(row, nowMs) ?? { text: durationText(nowMs - row.statusAtMs), isBad: false };
}
