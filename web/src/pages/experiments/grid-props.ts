import type { TableRow } from "@lossless/protocol";
import type { SortField } from "@lossless/protocol/query-list";
import type { PageLocation } from "../../location.ts";
import type { Column } from "./columns.ts";

/** Properties of the table. */
export interface GridProps {
  columns: readonly Column[];
  /** Indices of the columns' values in a row. */
  valuePlaces: readonly number[];
  /** Indices of the steps drawn below them; -1: none. */
  stepPlaces: readonly number[];
  /** When it changes, the table scrolls to the top. */
  question: string;
  total: number;
  rows: ReadonlyMap<number, TableRow>;
  sort: readonly SortField[];
  selected: ReadonlySet<string>;
  /** Keeps the place in the browser's history. */
  history: Pick<PageLocation, "kept" | "remember" | "keep">;
  onShow: (first: number, last: number) => void;
  onSort: (column: Column, isFurther: boolean) => void;
  onTick: (ids: readonly string[], isTicked: boolean) => void;
  onOpen: (experimentId: string) => void;
}
