import { limits } from "@lossless/protocol/limits";
import {
  type Field,
  fieldText,
  type OwnField,
  ownFields,
  parseField,
} from "@lossless/protocol/query-field";

/** A column of the table, and its appearance. */
export interface Column {
  /** The field in the query language's spelling. */
  field: string;
  kind: Field;
  title: string;
  /** The statistic of a metric, in small letters after the title. */
  detail: string;
  /** The field with the step of an extreme, drawn below it. */
  step?: string;
  isNumber: boolean;
  /** Whether the first click on the head sorts descending: newest, most or greatest first. */
  firstDescending: boolean;
  /** Width in rem, where there is room. */
  width: number;
  /** The width in rem below which its contents would be cut; undefined: the usual one. */
  least?: number;
  /** The width that a person gave to it, in rem. */
  chosenWidth?: number | undefined;
}

/** Titles of fields whose names alone are unclear. */
const titles: Partial<Record<OwnField, string>> = {
  slug: "experiment",
  done: "finished",
  updated: "changed",
  artifact: "artifacts",
};
const widths: Partial<Record<OwnField, number>> = {
  status: 13.5,
  folder: 10,
  tag: 15,
  created: 7.5,
  began: 7.5,
};
const leastWidths: Partial<Record<OwnField, number>> = {
  status: 11.5,
  folder: 6.5,
  tag: 10,
  created: 6.75,
  began: 6.75,
};
const longTexts: readonly OwnField[] = ["slug", "name", "description", "error", "id"];

/** The columns of fields; texts that are no field, which an address may have, are left out. */
export function columnsOf(fields: readonly string[]): Column[] {
  return fields.flatMap((field) => columnOf(field) ?? []);
}

/** The column of the name, which stands before all others. */
export const nameColumn = ownColumn("slug", { kind: "own", name: "slug" });

export function columnOf(field: string): Column | undefined {
  const kind = fieldOf(field);
  switch (kind?.kind) {
    case undefined:
      return undefined;
    case "own":
      return ownColumn(field, kind);
    case "meta": {
      const title = kind.path.join(".");
      const width = ownWidth(kind, widths) ?? titleWidth(title, 7);
      const look = { isNumber: false, firstDescending: false, width };
      return { field, kind, title, detail: "", ...look };
    }
    case "metric": {
      const pairs = Object.entries(kind.partition ?? {}).map((pair) => pair.join("="));
      const title = kind.name + (pairs.length > 0 ? ` {${pairs.join(", ")}}` : "");
      const firstDescending = ["max", "count", "laststep"].includes(kind.stat);
      const width = titleWidth(`${title} ${kind.stat}`, 7);
      const look = { detail: kind.stat, isNumber: true, firstDescending, width };
      return { field, kind, title, ...look, ...stepOf(kind) };
    }
  }
}

function stepOf(kind: Field & { kind: "metric" }): { step?: string } {
  if (kind.stat !== "min" && kind.stat !== "max") return {};
  return { step: fieldText({ ...kind, stat: `${kind.stat}step` }) };
}

/** Least width in rem: the default columns fit beside the folders on a laptop's screen. */
export function leastWidth({ kind, width, least, isNumber }: Column): number {
  if (least !== undefined) return least;
  const own = ownWidth(kind, leastWidths);
  if (own !== undefined) return own;
  if (kind.kind !== "meta") return Math.max(5, width - 1.5);
  return Math.max(isNumber ? writtenNumber : 5, width - 0.5);
}

/** Widths in rem of a letter of a bold title and of a small one, and of what stands beside them. */
const boldLetter = 0.58;
const smallLetter = 0.44;
const besideTitle = 1.25;
const sortSign = 1.25;

/** A column by which the table is sorted: as wide as its bold title and the sign need. */
export function sortedColumn(column: Column): Column {
  const { title, detail, width } = column;
  const small = detail === "" ? 0 : (detail.length + 1) * smallLetter;
  const needed = title.length * boldLetter + small + besideTitle + sortSign;
  const least = Math.max(leastWidth(column), Math.min(needed, 16));
  return { ...column, least, width: Math.max(width, least) };
}

/** The width for an own field; the key of the meta that has the tags is as wide as these. */
function ownWidth(kind: Field, all: typeof widths): number | undefined {
  if (kind.kind === "own") return all[kind.name];
  const isTags = kind.kind === "meta" && kind.path.length === 1 && kind.path[0] === "_tags";
  return isTags ? all.tag : undefined;
}

/** Width in rem of a number of meta with six digits behind zeros, such as 0.000791947. */
const writtenNumber = 7.75;

/** The fields to request: those of the columns, then the steps of their extremes. */
export function askedFields(columns: readonly Column[]): string[] {
  const steps = columns.flatMap(({ step }) => step ?? []);
  const fields = new Set([...columns.map(({ field }) => field), ...steps]);
  return [...fields].slice(0, limits.tableColumnsMax);
}

function ownColumn(field: string, kind: Field & { kind: "own" }): Column {
  const type = ownFields[kind.name];
  const isText = ["text", "status", "state", "folder"].includes(type);
  const width = widths[kind.name] ?? (longTexts.includes(kind.name) ? 14 : isText ? 9 : 6);
  const title = titles[kind.name] ?? kind.name;
  const look = { isNumber: !isText, firstDescending: type === "time" || type === "number", width };
  return { field, kind, title, detail: "", ...look };
}

/** Width of a title: shown in full unless unusually long. */
function titleWidth(title: string, least: number): number {
  return Math.min(Math.max(least, title.length * 0.5 + 2), 14);
}

function fieldOf(text: string): Field | undefined {
  try {
    return parseField(text);
  } catch {
    return undefined;
  }
}
