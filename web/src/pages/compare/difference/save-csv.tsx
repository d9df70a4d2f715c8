import { csvFile } from "../../../parts/csv.ts";
import { fileName, saveFile } from "../../../parts/save-file.ts";

interface Props {
  name: string;
  rows: () => (string | number | null)[][];
}

/** Saves what a table has, all of its rows and columns. */
export function SaveCsv({ name, rows }: Props) {
  return (
    <button type="button" onClick={() => saveFile(fileName(name, "csv"), csvFile(rows()))}>
      CSV
    </button>
  );
}
