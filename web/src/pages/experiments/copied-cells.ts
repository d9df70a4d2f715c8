import { type CellPosition, cellAt } from "./grid-keys.ts";

/** The text of a cell, in full. */
export type TextOfCell = (cell: CellPosition) => string;

/** Copies the selected cells, or the focused one. */
export function copyCells(event: ClipboardEvent, active: CellPosition, textOf: TextOfCell): void {
  // A name that is being changed is copied as any field.
  if (event.target instanceof HTMLInputElement) return;
  const text = copiedText(event.currentTarget as Element, active, textOf);
  if (text === undefined || event.clipboardData === null) return;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
}

/**
 * The text to copy: of a selection that spans cells, their full values with tabs between columns
 * and a line a row, in which each cell keeps its column; of a name, which consists of several
 * elements, one line. Without a selection the focused cell. Undefined: as the browser copies it.
 */
function copiedText(grid: Element, active: CellPosition, textOf: TextOfCell): string | undefined {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0)
    return active.row >= 0 && active.column > 0 ? textOf(active) : undefined;
  const selected = selection.getRangeAt(0);
  const cells = [...grid.querySelectorAll("[role=gridcell]:not(.tick)")].filter((cell) =>
    hasText(cell, selected),
  );
  if (cells.length === 0) return undefined;
  if (cells.length === 1)
    return cells[0].matches(".name") ? String(selection).replaceAll("\n", "") : undefined;
  const places = cells.map(({ id }) => cellAt(id));
  const first = Math.min(...places.map(({ column }) => column));
  const lines = [...Map.groupBy(places, ({ row }) => row).values()].map(
    (row) => "\t".repeat(row[0].column - first) + row.map(textOf).join("\t"),
  );
  return lines.join("\n");
}

/** Whether a selection has text of a cell: it may end before the cell's first character. */
function hasText(cell: Element, selected: Range): boolean {
  if (!selected.intersectsNode(cell)) return false;
  const part = selected.cloneRange();
  if (part.compareBoundaryPoints(Range.START_TO_START, rangeOf(cell)) < 0) part.setStart(cell, 0);
  if (part.compareBoundaryPoints(Range.END_TO_END, rangeOf(cell)) > 0)
    part.setEnd(cell, cell.childNodes.length);
  return String(part) !== "";
}

function rangeOf(cell: Element): Range {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range;
}
