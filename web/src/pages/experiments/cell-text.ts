import type { TableRow } from "@lossless/protocol";
import { ownFields } from "@lossless/protocol/query-field";
import { countText, durationText, silentFromMs, timeText, valueText } from "../../parts/words.ts";
import type { Column } from "./columns.ts";

export type CellValue = TableRow["values"][number];

/** What a cell shows; `title` is what there is when one points at it, where that is more. */
export interface Cell {
  text: string;
  title?: string;
}

const nothing: Cell = { text: "–" };

/** What a row says of itself changes at once, its columns with the next look. */
export function valueOf({ field }: Column, row: TableRow, place: number): CellValue {
  if (field === "points") return row.points;
  return field === "updated" ? row.updatedAtMs : row.values[place];
}

export function cellOf(column: Column, value: CellValue, nowMs: number): Cell {
  if (value === null) return nothing;
  if (column.kind.kind === "metric" && typeof value === "string")
    return { text: value.replace("Infinity", "∞").replace("-", "−"), title: value };
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
    case "folder":
      return { text: String(value) };
  }
}

/** What people chose is shown as they wrote it, such as a seed without commas. */
function chosenText(value: number): string {
  const text = String(value);
  return text.length > 10 ? valueText(value) : text;
}

/** As many digits in each row, so that the points of a column stand below each other. */
export function measuredText(value: number): string {
  if (Number.isSafeInteger(value)) return countText(value);
  const size = Math.abs(value);
  return size >= 1e6 || size < 1e-4 ? valueText(value) : sixDigits.format(value);
}

const sixDigits = new Intl.NumberFormat("en", {
  minimumSignificantDigits: 6,
  maximumSignificantDigits: 6,
});

/** The status in words: how long in it, and how long nothing came of one that runs. */
export function statusText(row: TableRow, nowMs: number): { age: string; silent: string } {
  const age = durationText(nowMs - row.statusAtMs);
  if (row.status !== "running") return { age, silent: "" };
  const silentMs = nowMs - (row.appendedAtMs ?? row.statusAtMs);
  return { age, silent: silentMs >= silentFromMs ? `silent ${durationText(silentMs)}` : "" };
}
