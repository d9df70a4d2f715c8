import type { TableRow } from "@lossless/protocol";
import type { SortField } from "@lossless/protocol/query-list";
import type { PageLocation } from "../../location.ts";
import type { Column } from "./columns.ts";

/** What the table draws, and what it tells. */
export interface GridProps {
  columns: readonly Column[];
  /** The places of the columns' values in a row. */
  valuePlaces: readonly number[];
  /** Where the steps stand that are drawn below them; -1: nowhere. */
  stepPlaces: readonly number[];
  /** When it is another one, the table begins at its top. */
  question: string;
  total: number;
  rows: ReadonlyMap<number, TableRow>;
  sort: readonly SortField[];
  selected: ReadonlySet<string>;
  /** Remembers where one is. */
  history: Pick<PageLocation, "kept" | "remember" | "keep">;
  onShow: (first: number, last: number) => void;
  onSort: (column: Column, isFurther: boolean) => void;
  onTick: (ids: readonly string[], isTicked: boolean) => void;
  onOpen: (experimentId: string) => void;
}
