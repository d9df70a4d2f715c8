import type { WrongRow } from "../csv/row.ts";
import type { WideForm } from "../csv/wide-form.ts";

const wrongCellsMax = 1_000;

/** Distinguishes numeric columns of a wide file from text columns, which are left out. */
export class Columns {
  #form: WideForm | undefined;
  readonly #withNumbers = new Set<string>();
  /** Cells that are not numbers, by column. */
  readonly #others = new Map<string, { count: number; first: WrongRow[] }>();

  take(form: WideForm): void {
    this.#form = form;
  }

  hasNumber(column: string | undefined): void {
    if (column !== undefined) this.#withNumbers.add(column);
  }

  /** Notes a cell that is not a number; whether it is wrong is known at the end of the file. */
  hasText(row: WrongRow, column: string): void {
    const others = this.#others.get(column) ?? { count: 0, first: [] };
    this.#others.set(column, others);
    others.count++;
    if (others.first.length < wrongCellsMax) others.first.push(row);
  }

  /**
   * Non-numeric cells of columns that have numbers elsewhere: their count, and the first of them.
   */
  wrongCells(): { count: number; first: WrongRow[] } {
    const wrong = [...this.#others].filter(([column]) => this.#withNumbers.has(column));
    const first = wrong.flatMap(([, others]) => others.first);
    return {
      count: wrong.reduce((sum, [, { count }]) => sum + count, 0),
      first: first.toSorted((a, b) => a.line - b.line),
    };
  }

  notes(): string[] {
    if (this.#form === undefined) return [];
    const { stepColumn, timeColumn } = this.#form;
    const step = stepColumn === undefined ? "the number of the row" : named(stepColumn);
    const time = timeColumn === undefined ? "" : `, the time ${named(timeColumn)}`;
    const texts = [...this.#others.keys()].filter((column) => !this.#withNumbers.has(column));
    const leftOut =
      texts.length === 0 ? "" : `; left out, because they have no numbers: ${texts.join(", ")}`;
    return [`the step is ${step}${time}${leftOut}`];
  }
}

function named(column: string): string {
  return column === "" ? "the first column" : `the column ${column}`;
}
