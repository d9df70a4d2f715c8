import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { countText } from "../../../parts/words.ts";

interface Props<Row> {
  rows: readonly Row[];
  /** What the button calls them that lays out more. */
  unit: string;
  /** How many cells each has. */
  cells: number;
  label: string;
  /** Undefined: a table of texts. */
  look?: string;
  isBusy?: boolean;
  heads: ComponentChildren;
  keyOf: (row: Row) => string;
  /** The cells of a row. */
  draw: (row: Row) => ComponentChildren;
}

/** What is laid out at once: of a hundred experiments each row is more than a screen wide. */
const cellsShown = 2_000;
const [rowsMin, rowsMax] = [20, 100];

/** The rows of a table that is scrolled for itself, with a head that stays. */
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
          {countText(left)} more {unit}
        </button>
      )}
    </>
  );
}
