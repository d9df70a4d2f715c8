import type { Transaction } from "../../database/database.ts";
import { forgetInputs } from "./forget-inputs.ts";
import { forgetModelMetrics } from "./models/metrics.ts";
import { rowBytes, textBytes } from "../../database/quotas/amounts.ts";
import type { Ledger } from "../../database/quotas/ledger.ts";

const rowsPerStep = 500;

/** Tables of a run whose rows count for its organization, and the columns of their texts. */
const counted = [
  { table: "run_param", columns: ["key", "value"] },
  { table: "run_tag", columns: ["key", "value"] },
  { table: "run_point", columns: ["key"] },
] as const;

/** Takes the next step of removing MLflow's rows of an experiment; 0: none is left. */
export async function forgetRun(
  transaction: Transaction,
  { organizationId, experimentId }: { organizationId: string; experimentId: string },
  ledger: Ledger,
): Promise<number> {
  for (const { table, columns } of counted) {
    const rows = await transaction.all<Record<string, string>>(
      `DELETE FROM ${table} WHERE experiment = $1 AND key IN (
         SELECT key FROM ${table} WHERE experiment = $1 ORDER BY key LIMIT ${rowsPerStep})
       RETURNING ${columns.join(", ")}`,
      experimentId,
    );
    if (rows.length === 0) continue;
    const bytes = rows.reduce(
      (sum, row) => sum + rowBytes + textBytes(...columns.map((column) => row[column])),
      0,
    );
    ledger.note(organizationId, { bytes: -bytes });
    return rows.length;
  }
  const values = await forgetModelMetrics(transaction, { organizationId, experimentId }, ledger);
  if (values > 0) return values;
  const links = await forgetInputs(transaction, { organizationId, experimentId }, ledger);
  if (links > 0) return links;
  const metrics = await transaction.run(
    "DELETE FROM run_metric WHERE experiment = $1",
    experimentId,
  );
  return metrics + (await transaction.run("DELETE FROM run WHERE experiment = $1", experimentId));
}

/** Takes the next step of removing MLflow's rows of one metric, which is in the trash. */
export async function forgetMetric(
  transaction: Transaction,
  { organizationId, experimentId, key }: Record<"organizationId" | "experimentId" | "key", string>,
  ledger: Ledger,
): Promise<number> {
  const points = await transaction.run(
    `DELETE FROM run_point WHERE experiment = $1 AND key = $2 AND trashed = 1
       AND (timestamp, step, kind, value) IN (
         SELECT timestamp, step, kind, value FROM run_point
         WHERE experiment = $1 AND key = $2 ORDER BY timestamp, step, kind, value LIMIT ${rowsPerStep})`,
    experimentId,
    key,
  );
  if (points > 0) ledger.note(organizationId, { bytes: -points * (rowBytes + textBytes(key)) });
  if (points > 0) return points;
  return transaction.run(
    "DELETE FROM run_metric WHERE experiment = $1 AND key = $2 AND trashed = 1",
    experimentId,
    key,
  );
}

/** Hides MLflow's rows of one metric, and its non-finite values, or shows them again. */
export async function markMetric(
  transaction: Transaction,
  experimentId: string,
  key: string,
  isTrashed: boolean,
): Promise<void> {
  for (const table of ["run_metric", "run_point"]) {
    await transaction.run(
      `UPDATE ${table} SET trashed = $3 WHERE experiment = $1 AND key = $2`,
      experimentId,
      key,
      isTrashed ? 1 : 0,
    );
  }
  await transaction.run(
    "UPDATE nonfinite SET trashed = $3 WHERE experiment = $1 AND name = $2",
    experimentId,
    key,
    isTrashed ? 1 : 0,
  );
}
