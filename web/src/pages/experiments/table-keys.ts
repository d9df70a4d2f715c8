import type { KeyList } from "../../parts/key-help.tsx";

/** Help for the keys of the table. */
export const tableKeys: KeyList = [
  ["/", "to the query"],
  ["↑ ↓ or k j", "row by row; Page up and down, Home and End as usual"],
  ["← →", "column by column; above the first row are the heads"],
  ["Enter", "opens the experiment; on a head sorts by it, with Shift as a further key"],
  ["Space", "ticks the row; with Shift all rows from the last ticked one on"],
  ["c", "compares what is ticked; where nothing is, the first hundred that the query finds"],
  ["m", "moves what is ticked, or the folder that the keyboard is at, to a folder"],
  ["r, Delete", "renames or removes the folder that the keyboard is at"],
  ["Tab", "to the folders, the query, the table"],
  ["Esc", "leaves the query, closes what is open"],
  ["?", "this list"],
];
