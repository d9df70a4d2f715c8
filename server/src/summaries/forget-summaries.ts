import type { Transaction } from "../database/database.ts";

/**
 * Removes the summaries of the metrics that some partitions of an experiment count for. Its row in
 * `summarized` must be gone: then nobody folds new ones.
 */
export async function forgetSummaries(
  transaction: Transaction,
  organizationId: string,
  experimentId: string,
  partitions: readonly number[],
): Promise<void> {
  await transaction.run(
    `DELETE FROM metric_summary WHERE experiment = $1 AND metric IN (
       SELECT metric_name.id FROM series
       JOIN metric_name ON metric_name.organization = $2 AND metric_name.name = series.name
         AND metric_name.meta IN (series.meta, '')
       WHERE series.experiment = $1 AND ${transaction.isOneOfIntegers("series.partition", "$3")})`,
    experimentId,
    organizationId,
    JSON.stringify(partitions),
  );
}

/**
 * Removes what is told of values of an experiment that are not finite, and the summaries that say
 * nothing else. The same has to be gone.
 */
export async function forgetNonfinite(
  transaction: Transaction,
  organizationId: string,
  experimentId: string,
): Promise<number> {
  await transaction.run(
    `DELETE FROM metric_summary WHERE experiment = $1 AND metric IN (
       SELECT metric_name.id FROM nonfinite
       JOIN metric_name ON metric_name.organization = $2 AND metric_name.name = nonfinite.name
         AND metric_name.meta IN (nonfinite.meta, '')
       WHERE nonfinite.experiment = $1)`,
    experimentId,
    organizationId,
  );
  return transaction.run("DELETE FROM nonfinite WHERE experiment = $1", experimentId);
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
