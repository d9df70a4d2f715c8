import { setImmediate } from "node:timers/promises";
import type { Reader } from "../../database/database.ts";
import { ConfigKind } from "../../experiments/summaries/config.ts";
import type { ConfigRow } from "../table/table-rows.ts";

export type ExperimentRow = ConfigRow & { experiment: string };

type StripRow = ExperimentRow & { element: number };

/** Experiments that are looked up one by one; for more, the key's whole strip is read. */
const lookedUpMax = 2_000;
const rowsPerRead = 10_000;
/**
 * Selected columns. The text of a number is not read: most values are numbers, and texts are
 * expensive to read.
 */
const selected = `experiment, element, kind, number,
  CASE WHEN kind = ${ConfigKind.number} THEN '' ELSE text END AS text`;

/** Reads the rows of some experiments at keys; at most `rowsMax` rows of all keys together. */
export class KeyRows {
  readonly #reader: Reader;
  readonly #ids: readonly string[];
  #rowsLeft: number;

  constructor(reader: Reader, ids: Iterable<string>, rowsMax: number) {
    this.#reader = reader;
    this.#ids = [...ids].toSorted((left, right) => (left < right ? -1 : 1));
    this.#rowsLeft = rowsMax;
  }

  /** Whether the key read last has more rows than were left: nothing is known of it then. */
  get isSpent(): boolean {
    return this.#rowsLeft < 0;
  }

  /**
   * Yields all rows of one experiment together; also those of other experiments, where there are
   * many.
   */
  async *of(key: number): AsyncGenerator<ExperimentRow[][]> {
    const read = this.#ids.length <= lookedUpMax ? this.#lookUp(key) : this.#readStrip(key);
    let begun: ExperimentRow[] = [];
    for await (const rows of read) {
      this.#rowsLeft -= rows.length;
      if (this.isSpent) return;
      const found = byExperiment([...begun, ...rows]);
      begun = found.pop() ?? [];
      yield found;
      await setImmediate();
    }
    if (begun.length > 0) yield [begun];
  }

  async *#lookUp(key: number): AsyncGenerator<StripRow[]> {
    let left = this.#ids;
    for (let after: StripPosition = ["", -1]; left.length > 0;) {
      const rows = await this.#reader.all<StripRow>(
        `SELECT ${selected} FROM config_value
         WHERE key = $1 AND ${this.#reader.isOneOf("experiment", "$2")}
           AND (experiment <> $3 OR element > CAST($4 AS BIGINT))
         ORDER BY experiment, element LIMIT ${this.#rowsPerRead}`,
        key,
        JSON.stringify(left),
        ...after,
      );
      yield rows;
      if (rows.length < rowsPerRead) return;
      after = placeOf(rows);
      left = left.slice(left.indexOf(after[0]));
    }
  }

  /** From the first of the experiments to the last one. */
  async *#readStrip(key: number): AsyncGenerator<StripRow[]> {
    for (let after: StripPosition = [this.#ids[0], -2]; ;) {
      const rows = await this.#reader.all<StripRow>(
        `SELECT ${selected} FROM config_value
         WHERE key = $1 AND (experiment, element) > ($2, CAST($3 AS BIGINT)) AND experiment <= $4
         ORDER BY experiment, element LIMIT ${this.#rowsPerRead}`,
        key,
        ...after,
        this.#ids.at(-1)!,
      );
      yield rows;
      if (rows.length < rowsPerRead) return;
      after = placeOf(rows);
    }
  }

  /** Rows of one read: one more than are left shows that there are more. */
  get #rowsPerRead(): number {
    return Math.min(rowsPerRead, this.#rowsLeft + 1);
  }
}

type StripPosition = [experiment: string, element: number];

function placeOf(rows: readonly StripRow[]): StripPosition {
  const { experiment, element } = rows.at(-1)!;
  return [experiment, element];
}

function byExperiment(rows: readonly ExperimentRow[]): ExperimentRow[][] {
  const found: ExperimentRow[][] = [];
  let last: string | undefined;
  for (const row of rows) {
    if (row.experiment === last) found.at(-1)!.push(row);
    else found.push([row]);
    last = row.experiment;
  }
  return found;
}
