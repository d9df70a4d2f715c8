import { createHash } from "node:crypto";
import type { Row } from "../csv/row.ts";
import type { ImportRecord } from "./import-record.ts";

const undigestedMax = 1_000;

/**
 * Digests the content of a file's good rows, whatever their text; and that of the rows seen by an
 * earlier import, which tells a file that has grown from another one of the same name.
 */
export class RowsDigest {
  readonly #earlier: ImportRecord | undefined;
  readonly #leftOut: Set<number>;
  readonly #whole = createHash("sha256");
  readonly #before = createHash("sha256");
  #undigested: number[] = [];

  constructor(earlier: ImportRecord | undefined) {
    this.#earlier = earlier;
    this.#leftOut = new Set(earlier?.undigested);
  }

  add(row: Row): void {
    const { step, elapsedMs = "", metric, value, meta, column = "" } = row;
    const members = Object.entries(meta ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const of = JSON.stringify([row.row, column, step, elapsedMs, metric, String(value), members]);
    if (row.isOpen === true) this.leaveOut(row.row);
    else this.#whole.update(of);
    const { digest, rows = 0 } = this.#earlier ?? {};
    if (digest !== undefined && row.row <= rows && !this.#leftOut.has(row.row)) {
      this.#before.update(of);
    }
  }

  leaveOut(row: number): void {
    if (this.#undigested.at(-1) === row || this.#undigested.length > undigestedMax) return;
    this.#undigested.push(row);
  }

  recorded(): Pick<ImportRecord, "digest" | "undigested"> {
    if (this.#undigested.length > undigestedMax) return {};
    const digest = this.#whole.digest("hex");
    return this.#undigested.length === 0 ? { digest } : { digest, undigested: this.#undigested };
  }

  /**
   * Whether the file continues the earlier one; undefined: the record has no digest, or more rows.
   */
  goesOn(rows: number): boolean | undefined {
    if (this.#earlier?.digest === undefined || rows < this.#earlier.rows) return undefined;
    return this.#before.digest("hex") === this.#earlier.digest;
  }
}
