import type { KeyList } from "../../parts/key-help.tsx";

/** Help for the keys of the table. */
export const tableKeys: KeyList = [
  ["/", "go to the query"],
  ["↑ ↓ or k j", "move between rows, as do Page Up, Page Down, Home and End"],
  ["← →", "move between columns; the column heads are above the first row"],
  ["Shift ← →", "on a column head: move the column"],
  ["+ − 0", "on a column head: make the column wider or narrower, or as wide as usual"],
  ["Ctrl C", "copy the selected cells, or the focused one"],
  ["Enter", "open the experiment; on a column head, sort by it, with Shift as a further sort key"],
  ["F2", "rename the experiment"],
  ["Shift F10", "open the menu of the cell: find its value, copy it, use the row as the baseline"],
  ["Space", "tick the row; with Shift, all rows since the last ticked one"],
  ["c", "compare the ticked experiments, or, if none is ticked, the first hundred found"],
  ["m", "move the ticked experiments, or the focused folder, to a folder"],
  ["r, Delete", "rename or remove the focused folder"],
  ["Tab", "go to the folders, the query, the table"],
  ["Esc", "leave the query, or close an open menu or dialog"],
  ["?", "show this list"],
];
