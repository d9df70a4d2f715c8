import type { Transaction } from "../../database/database.ts";
import type { ErrandInputs } from "../../database/errands.ts";
import { insertRows, updateRows } from "../../database/rows.ts";
import type { Moment } from "../../ground/clock.ts";

const perPage = 1_000;

/**
 * Leaves errands by which workers follow a directory that was put back to an earlier state: they
 * have done some that it no longer knows. `done`, by experiment: the last one done, as far as it is
 * known. The new numbers are above it, and above the time: no number is given twice.
 */
export async function leaveAgreements(
  transaction: Transaction,
  done: ReadonlyMap<string, number>,
  { nowMs }: Moment,
): Promise<void> {
  if (done.size === 0) return;
  const ids = JSON.stringify([...done.keys()]);
  const heads = await transaction.all<{ experiment: string; trashed: 0 | 1; errand: number }>(
    `SELECT experiment, trashed, errand FROM head WHERE ${transaction.isOneOf("experiment", "$1")}
     ORDER BY experiment${transaction.forUpdate}`,
    ids,
  );
  const deleted = await transaction.all<{ experiment: string; name: string; trash: string }>(
    `SELECT DISTINCT experiment, dropped_series.name, trash FROM dropped_series
     JOIN trash ON trash.id = dropped_series.trash
     WHERE ${transaction.isOneOf("experiment", "$1")} ORDER BY experiment, trash`,
    ids,
  );
  const series = Map.groupBy(deleted, ({ experiment }) => experiment);
  const left = heads.map(({ experiment, trashed, errand }) => {
    const number = Math.max(errand + 1, (done.get(experiment) ?? 0) + 1, nowMs);
    const own = series.get(experiment) ?? [];
    const input: ErrandInputs["agree"] = {
      trashed,
      series: own.map(({ name, trash }) => ({ name, trash })),
    };
    return { experiment, number, input };
  });
  await updateRows(
    transaction,
    (values) =>
      `UPDATE head SET errand = changed.column2 FROM ${values} AS changed
       WHERE head.experiment = changed.column1`,
    left.map(({ experiment, number }) => [experiment, number]),
  );
  await insertRows(
    transaction,
    "errand",
    ["experiment", "number", "name", "input"],
    left.map(({ experiment, number, input }) => {
      return [experiment, number, "agree", JSON.stringify(input)];
    }),
  );
}

/** The same for all experiments on workers. */
export async function leaveAllAgreements(transaction: Transaction, moment: Moment): Promise<void> {
  for (let after = ""; ;) {
    const rows = await transaction.all<{ id: string }>(
      `SELECT id FROM experiment WHERE server <> 0 AND purged_at_ms IS NULL AND id > $1
       ORDER BY id LIMIT ${perPage}`,
      after,
    );
    if (rows.length === 0) return;
    await leaveAgreements(transaction, new Map(rows.map(({ id }) => [id, 0])), moment);
    after = rows.at(-1)!.id;
  }
}
