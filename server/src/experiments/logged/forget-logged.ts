import type { Transaction } from "../../database/database.ts";

/**
 * Removes some rows of a purged experiment from the index of what it logged; returns their number,
 * 0 when none is left. Its row in `summarized` must be gone: then none is added any more.
 */
export async function forgetLogged(
  transaction: Transaction,
  experimentId: string,
  rowsPerStep: number,
): Promise<number> {
  const series = await transaction.get<{ number: number }>(
    "SELECT number FROM logged_series WHERE experiment = $1 ORDER BY number LIMIT 1",
    experimentId,
  );
  if (series === undefined) return 0;
  const removed = await transaction.run(
    `DELETE FROM logged WHERE experiment = $1 AND series = $2 AND (step, annotation, path) IN (
       SELECT step, annotation, path FROM logged WHERE experiment = $1 AND series = $2
       ORDER BY step, annotation, path LIMIT $3)`,
    experimentId,
    series.number,
    rowsPerStep,
  );
  if (removed === rowsPerStep) return removed;
  await transaction.run(
    "DELETE FROM logged_series WHERE experiment = $1 AND number = $2",
    experimentId,
    series.number,
  );
  return removed + 1;
}
