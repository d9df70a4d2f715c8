import { remPixels } from "../../parts/row-pixels.ts";
import { bounded } from "./column-widths.ts";
import { nameColumn } from "./columns.ts";
import { cellId, type CellPosition, fixedColumns } from "./grid-keys.ts";
import type { GridProps } from "./grid-props.ts";

/**
 * Changes the column at a place by a key on its head: Shift and an arrow moves it, + and − resize
 * it, 0 gives it the usual width. Returns whether the key is one of these.
 */
export function changeColumn(
  { columns, nameWidth, onMove, onResize }: GridProps,
  { key, shiftKey, currentTarget }: KeyboardEvent,
  place: number,
  setActive: (cell: CellPosition) => void,
): boolean {
  const column = place === 1 ? nameColumn : columns[place - fixedColumns];
  if (column === undefined) return false;
  const { field, chosenWidth = place === 1 ? nameWidth : undefined } = column;
  const step = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
  if (shiftKey && step !== 0) {
    const target = columns[place - fixedColumns + step];
    if (place > 1 && target !== undefined) {
      onMove(field, target.field);
      setActive({ row: -1, column: place + step });
    }
    return true;
  }
  const change = key === "+" ? 1 : key === "-" ? -1 : 0;
  if (change === 0 && key !== "0") return false;
  const cell = (currentTarget as Element).querySelector(`#${cellId({ row: -1, column: place })}`)!;
  const shown = cell.getBoundingClientRect().width / remPixels();
  onResize(field, change === 0 ? undefined : bounded((chosenWidth ?? shown) + change));
  return true;
}
