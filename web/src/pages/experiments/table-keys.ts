import type { KeyList } from "../../parts/key-help.tsx";

/** Help for the keys of the table. */
export const tableKeys: KeyList = [
  ["/", "go to the query"],
  ["↑ ↓ or k j", "move between rows, as do Page Up, Page Down, Home and End"],
  ["← →", "move between columns; the column heads are above the first row"],
  ["Enter", "open the experiment; on a column head, sort by it, with Shift as a further sort key"],
  ["Space", "tick the row; with Shift, all rows since the last ticked one"],
  ["c", "compare the ticked experiments, or, if none is ticked, the first hundred found"],
  ["m", "move the ticked experiments, or the focused folder, to a folder"],
  ["r, Delete", "rename or remove the focused folder"],
  ["Tab", "go to the folders, the query, the table"],
  ["Esc", "leave the query, or close an open menu or dialog"],
  ["?", "show this list"],
];
