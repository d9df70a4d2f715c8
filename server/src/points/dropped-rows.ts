import type { Transaction } from "../database/database.ts";
import type { Counting } from "../database/quotas/ledger.ts";

export interface EndedSeries {
  organizationId: string;
  experimentId: string;
  /** The entry of the trash. */
  trash: string;
  manifestSeq: number;
}

/**
 * Ends the purge of a series if the manifest still stands where no segment had a point of it, and
 * returns the number of its partitions; undefined: it has moved. They keep their numbers.
 */
export async function endDropped(
  transaction: Transaction,
  series: EndedSeries,
  { ledger }: Counting,
): Promise<number | undefined> {
  const { organizationId, experimentId, manifestSeq } = series;
  const head = await transaction.get<{ manifest_seq: number }>(
    `SELECT manifest_seq FROM head WHERE experiment = $1${transaction.forUpdate}`,
    experimentId,
  );
  if (head?.manifest_seq !== manifestSeq) return undefined;
  const partitions = await forgetTrash(transaction, series);
  ledger.note(organizationId, { partitions: -partitions });
  await transaction.run(
    "UPDATE head SET manifest_seq = manifest_seq + 1 WHERE experiment = $1",
    experimentId,
  );
  return partitions;
}

/** `points.endElsewhere`: the same on a worker. */
export async function endElsewhere(
  transaction: Transaction,
  series: Omit<EndedSeries, "organizationId">,
  context: Counting,
): Promise<{ partitions: number | undefined }> {
  const row = await transaction.get<{ organization: string }>(
    "SELECT organization FROM experiment WHERE id = $1",
    series.experimentId,
  );
  if (row === undefined) return { partitions: undefined };
  const { organization: organizationId } = row;
  return { partitions: await endDropped(transaction, { organizationId, ...series }, context) };
}

/** Takes the entry from the rows of its partitions, and returns their number. */
export function forgetTrash(
  transaction: Transaction,
  { experimentId, trash }: Pick<EndedSeries, "experimentId" | "trash">,
): Promise<number> {
  return transaction.run(
    "UPDATE dropped_series SET trash = NULL WHERE experiment = $1 AND trash = $2",
    experimentId,
    trash,
  );
}
