import { csvFile } from "../../../parts/csv.ts";
import { fileName, saveFile } from "../../../parts/save-file.ts";

interface Props {
  name: string;
  rows: () => (string | number | null)[][];
}

/** Saves all rows and columns of a table. */
export function SaveCsv({ name, rows }: Props) {
  return (
    <button type="button" onClick={() => saveFile(fileName(name, "csv"), csvFile(rows()))}>
      CSV
    </button>
  );
}
