import type { Transaction, Value } from "../../database/database.ts";

/**
 * Removes the summaries of the metrics for which some partitions of an experiment count. Its row in
 * `summarized` must be gone: then no new ones are folded.
 */
export async function forgetSummaries(
  transaction: Transaction,
  organizationId: string,
  experimentId: string,
  partitions: readonly number[],
): Promise<void> {
  await forgetSummariesOf(transaction, organizationId, experimentId, {
    table: "series",
    condition: `AND ${transaction.isOneOfIntegers("own.partition", "$3")}`,
    values: [JSON.stringify(partitions)],
  });
}

/**
 * Removes the rows of an experiment's non-finite values, and the summaries that have nothing else.
 * The row in `summarized` must be gone, too.
 */
export async function forgetNonfinite(
  transaction: Transaction,
  organizationId: string,
  experimentId: string,
): Promise<number> {
  await forgetSummariesOf(transaction, organizationId, experimentId, { table: "nonfinite" });
  return transaction.run("DELETE FROM nonfinite WHERE experiment = $1", experimentId);
}

/**
 * Deletes the summaries of the metrics that rows of a table count for, of each partition and of all
 * together.
 */
async function forgetSummariesOf(
  transaction: Transaction,
  organizationId: string,
  experimentId: string,
  of: { table: "series" | "nonfinite"; condition?: string; values?: readonly Value[] },
): Promise<void> {
  const { table, condition = "", values = [] } = of;
  await transaction.run(
    `DELETE FROM metric_summary WHERE experiment = $1 AND metric IN (
       SELECT metric_name.id FROM ${table} AS own
       JOIN metric_name ON metric_name.organization = $2 AND metric_name.name = own.name
         AND metric_name.meta IN (own.meta, '')
       WHERE own.experiment = $1 ${condition})`,
    experimentId,
    organizationId,
    ...values,
  );
}

/** Removes the leaves of an experiment's meta: 1,000 at most. */
export async function forgetConfig(transaction: Transaction, experimentId: string): Promise<void> {
  const row = await transaction.get<{ keys: string }>(
    "SELECT keys FROM config_keys WHERE experiment = $1",
    experimentId,
  );
  if (row === undefined) return;
  await transaction.run(
    `DELETE FROM config_value WHERE experiment = $1 AND ${transaction.isOneOfIntegers("key", "$2")}`,
    experimentId,
    row.keys,
  );
  await transaction.run("DELETE FROM config_keys WHERE experiment = $1", experimentId);
}

/** Removes the summaries of a series, of all its partitions together and of each. */
export async function forgetSeriesSummaries(
  transaction: Transaction,
  {
    organizationId,
    experimentId,
    name,
  }: Record<"organizationId" | "experimentId" | "name", string>,
): Promise<void> {
  await transaction.run(
    `DELETE FROM metric_summary WHERE experiment = $1 AND metric IN (
       SELECT id FROM metric_name WHERE organization = $2 AND name = $3)`,
    experimentId,
    organizationId,
    name,
  );
}
