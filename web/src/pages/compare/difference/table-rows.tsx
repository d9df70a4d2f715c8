import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { countedText } from "../../../parts/words.ts";

interface Props<Row> {
  rows: readonly Row[];
  /** Singular noun for the rows, on the button that lays out more. */
  unit: string;
  /** Cells of each row. */
  cells: number;
  label: string;
  /** Undefined: a table of texts. */
  look?: string;
  isBusy?: boolean;
  heads: ComponentChildren;
  keyOf: (row: Row) => string;
  /** Draws the cells of a row. */
  draw: (row: Row) => ComponentChildren;
}

/** Cells laid out at once: with a hundred experiments each row is wider than a screen. */
const cellsShown = 2_000;
const [rowsMin, rowsMax] = [20, 100];

/** Rows of a table that scrolls on its own under a fixed head. */
export function TableRows<Row>(props: Props<Row>) {
  const { rows, unit, cells, label, look = "", isBusy = false, heads, keyOf, draw } = props;
  const shown = Math.max(rowsMin, Math.min(rowsMax, Math.floor(cellsShown / cells)));
  const [steps, setSteps] = useState(1);
  const most = steps * shown;
  const left = rows.length - most;
  return (
    <>
      <div class="scrolled" tabIndex={0} role="region" aria-label={label} aria-busy={isBusy}>
        <table class={`compares ${look}`}>
          <thead>
            <tr>{heads}</tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row) => (
              <tr key={keyOf(row)}>{draw(row)}</tr>
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && (
        <button type="button" onClick={() => setSteps(steps + 1)}>
          show {countedText(left, `more ${unit}`)}
        </button>
      )}
    </>
  );
}
