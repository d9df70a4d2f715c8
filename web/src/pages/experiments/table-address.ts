import { limits } from "@lossless/protocol/limits";
import { QueryError } from "@lossless/protocol/query-error";
import { parseColumns, parseSort, type SortField } from "@lossless/protocol/query-list";
import { type Direction, readDirections } from "../../parts/directions.ts";
import { readWidths, type Widths } from "./column-widths.ts";

/** State of the table in the address; absent parameters have their defaults. */
export interface TableAddress {
  folder: string | undefined;
  query: string;
  sort: readonly SortField[];
  /** Fields beside the experiment's name, as the query language writes them. */
  columns: readonly string[];
  /** Widths that a person gave to the name and to the columns. */
  widths: Widths;
  /** The experiment that all others are compared with. */
  baseline: string | undefined;
  /** Directions in which metrics are better, as the reader chose them. */
  directions: ReadonlyMap<string, Direction>;
  view: View | undefined;
  selected: ReadonlySet<string>;
}

export interface View {
  name: string;
  title: string;
  query: string;
  sort: string;
}

/** Built-in views. A query or an order in the address overrides the view's. */
export const views: readonly View[] = [
  { name: "running", title: "Running", query: "status = running", sort: "created desc" },
  {
    name: "failed",
    title: "Failed today",
    query: "status = error updated > -1d",
    sort: "updated desc",
  },
  { name: "newest", title: "Newest", query: "", sort: "created desc" },
];

export const defaultSort = "created desc";
export const defaultColumns: readonly string[] = [
  "status",
  "began",
  "duration",
  "points",
  "folder",
];
/** Ticked experiments in an address at most, which must fit into a request line of 16 KiB. */
export const selectedMax = 300;

type Parameter = (
  name: "folder" | "q" | "sort" | "cols" | "widths" | "base" | "best" | "view" | "sel",
) => string | undefined;

export function readTableAddress(parameter: Parameter): TableAddress {
  const view = views.find(({ name }) => name === parameter("view"));
  const sort = view?.sort ?? defaultSort;
  const selected = parameter("sel")?.split(",") ?? [];
  return {
    folder: parameter("folder"),
    query: parameter("q") ?? view?.query ?? "",
    sort: listed(parseSort, parameter("sort")) ?? parseSort(sort),
    columns: listed(parseColumns, parameter("cols")) ?? defaultColumns,
    widths: readWidths(parameter("widths")),
    baseline: parameter("base"),
    directions: readDirections(parameter("best")),
    view,
    selected: new Set(selected.slice(0, selectedMax)),
  };
}

export function sortText(sort: readonly SortField[]): string {
  return sort.map(({ field, descending }) => `${field}${descending ? " desc" : ""}`).join(", ");
}

/**
 * The order after a click on a column's head: by that column alone, or with it as a further key.
 * Another click on it reverses it.
 */
export function sortedBy(
  sort: readonly SortField[],
  field: string,
  firstDescending: boolean,
  isFurther: boolean,
): readonly SortField[] {
  const known = sort.find((key) => key.field === field);
  const key = { field, descending: known === undefined ? firstDescending : !known.descending };
  if (!isFurther) return [key];
  if (known !== undefined) return sort.map((each) => (each === known ? key : each));
  return [...sort.slice(0, limits.tableSortsMax - 1), key];
}

/** Parses a list; undefined where the address has none, or an invalid one. */
function listed<Item>(parse: (text: string) => Item[], text: string | undefined) {
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}
