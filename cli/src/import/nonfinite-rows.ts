import type { LosslessClient, Recorder } from "@lossless/client";
import { CommandError } from "../command.ts";
import type { Row } from "../csv/row.ts";
import { timestampMsOf } from "./scan.ts";

const rowsMax = 50_000;

/**
 * Rows whose value is NaN or infinite: they become annotations of the kind that a recorder makes,
 * with the row's number and timestamp. The service does not deduplicate annotations, so those of an
 * earlier import are read first.
 */
export class NonfiniteRows {
  readonly #rows: Row[] = [];
  readonly #baseTimestampMs: number;

  constructor(baseTimestampMs: number) {
    this.#baseTimestampMs = baseTimestampMs;
  }

  get count(): number {
    return this.#rows.length;
  }

  add(row: Row): void {
    this.#rows.push(row);
    if (this.#rows.length <= rowsMax) return;
    throw new CommandError(
      `line ${row.line}: more than ${rowsMax} values are not finite; remove those rows from the file`,
    );
  }

  async annotate(client: LosslessClient, recorder: Recorder): Promise<void> {
    if (this.#rows.length === 0) return;
    const { experimentId } = recorder;
    const { annotations, truncated } = await client.annotations({ experimentId });
    if (truncated) {
      throw new CommandError(
        "the experiment has more annotations than can be read; rows that are not finite were left out, because they might be stored twice",
      );
    }
    // A row of a wide file has several metrics.
    const known = new Set(
      annotations.map(({ meta }) => `${String(meta["importRow"])} ${String(meta["metricName"])}`),
    );
    const missing = this.#rows.filter(({ row, metric }) => !known.has(`${row} ${metric}`));
    await Promise.all(
      missing.map((row) => {
        const { metric: metricName, step } = row;
        const value = String(row.value);
        return recorder.annotate(`${metricName} is ${value} at step ${step}`, {
          kind: "nonfinite",
          metricName,
          step,
          value,
          timestampMs: timestampMsOf(row, this.#baseTimestampMs),
          importRow: row.row,
          ...(row.meta === undefined ? {} : { pointMeta: row.meta }),
        });
      }),
    );
  }
}
