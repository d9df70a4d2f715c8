import type { GroupColumn } from "@lossless/protocol";
import type { CellValue } from "../table/table-rows.ts";

/** Mean, least and largest of the numbers in a column of a group. */
export class ColumnSums {
  #count = 0;
  #others = 0;
  #mean = 0;
  #min = Infinity;
  #max = -Infinity;

  add(value: CellValue): void {
    if (value === null) return;
    if (typeof value !== "number") return void this.#others++;
    const count = ++this.#count;
    const away = value - this.#mean;
    this.#mean = Number.isFinite(away)
      ? this.#mean + away / count
      : this.#mean + (value / count - this.#mean / count);
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  reply(): GroupColumn {
    const [count, others] = [this.#count, this.#others];
    const rest = others > 0 ? { others } : {};
    if (count === 0) return { count, ...rest, mean: null, min: null, max: null };
    const mean = Math.min(this.#max, Math.max(this.#min, this.#mean));
    return { count, ...rest, mean, min: this.#min, max: this.#max };
  }
}
