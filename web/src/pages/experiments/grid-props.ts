import type { TableRow } from "@lossless/protocol";
import type { SortField } from "@lossless/protocol/query-list";
import type { ComponentChildren } from "preact";
import type { PageLocation } from "../../location.ts";
import type { Column } from "./columns.ts";
import type { CellPosition } from "./grid-keys.ts";
import type { Marks } from "./marks.ts";

/** Properties of the table. */
export interface GridProps {
  columns: readonly Column[];
  /** Indices of the columns' values in a row. */
  valuePlaces: readonly number[];
  /** Indices of the steps drawn below them; -1: none. */
  stepPlaces: readonly number[];
  /** Fields of columns that were just added, which are marked. */
  added: ReadonlySet<string>;
  /** When it changes, the table scrolls to the top. */
  question: string;
  total: number;
  rows: ReadonlyMap<number, TableRow>;
  marks: Marks;
  sort: readonly SortField[];
  selected: ReadonlySet<string>;
  /** Keeps the place in the browser's history. */
  history: Pick<PageLocation, "kept" | "remember" | "keep">;
  onShow: (first: number, last: number) => void;
  onSort: (column: Column, isFurther: boolean) => void;
  onTick: (ids: readonly string[], isTicked: boolean) => void;
  /** The row whose name is changed, and the field in its place. */
  renaming: { experimentId: string; field: ComponentChildren } | undefined;
  /** Changes the name of the row at a place; undefined: the reader may not. */
  onRename: ((row: number) => void) | undefined;
  /** Chooses the colour of an experiment; undefined: the reader may not. */
  onColour: ((experimentIds: readonly string[]) => void) | undefined;
  /** Opens the menu of a cell, which has this place on the screen. */
  onMenu: (cell: CellPosition, anchor: DOMRect) => void;
  /** The width that a person gave to the name, in rem. */
  nameWidth: number | undefined;
  /** Moves a column to the place of another. */
  onMove: (field: string, target: string) => void;
  /** Gives a column a width in rem; undefined: the usual one. */
  onResize: (field: string, rem: number | undefined) => void;
  /** Adds a test to the query. */
  onFind: (test: string) => void;
  onOpen: (experimentId: string) => void;
}
