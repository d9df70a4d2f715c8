import { csvText } from "./csv.ts";

interface Props {
  name: string;
  rows: () => (string | number | null)[][];
}

/** Saves what a table has, all of its rows and columns. */
export function SaveCsv({ name, rows }: Props) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([csvText(rows())], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${name}.csv`;
    link.click();
    // The browser has taken what it saves when the click is over.
    setTimeout(() => URL.revokeObjectURL(address), 0);
  };
  return (
    <button type="button" onClick={save}>
      CSV
    </button>
  );
}
