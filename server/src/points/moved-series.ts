import type { Transaction } from "../database/database.ts";
import { rowBytes } from "../database/quotas/amounts.ts";

/**
 * Moves rows of partitions aside and returns the bytes of removed rows: a partition purged before
 * has a row aside already.
 */
export async function moveSeriesAside(
  transaction: Transaction,
  experimentId: string,
  name: string,
  trash: string,
): Promise<number> {
  const known = await transaction.get<{ bytes: number }>(
    `SELECT CAST(coalesce(sum(${rowBytes} + octet_length(name) + octet_length(meta)), 0) AS BIGINT) AS bytes
     FROM dropped_series WHERE experiment = $1 AND name = $2 AND is_out = 0`,
    experimentId,
    name,
  );
  await transaction.run(
    `INSERT INTO dropped_series (experiment, partition, name, meta, trash, fence, points, is_out)
     SELECT series.experiment, partition, name, meta, $3, head.log_seq, 0, 1
     FROM series JOIN head ON head.experiment = series.experiment
     WHERE series.experiment = $1 AND name = $2
     ON CONFLICT (experiment, partition) DO UPDATE
       SET trash = excluded.trash, fence = excluded.fence, is_out = 1`,
    experimentId,
    name,
    trash,
  );
  await transaction.run(
    "DELETE FROM series WHERE experiment = $1 AND name = $2",
    experimentId,
    name,
  );
  return known!.bytes;
}

/**
 * Moves rows of the partitions of an entry of the trash back, and returns the bytes of added rows:
 * what had points purged before keeps its row aside, too.
 */
export async function moveSeriesBack(
  transaction: Transaction,
  experimentId: string,
  trash: string,
): Promise<number> {
  const living = await transaction.get<{ bytes: number }>(
    `SELECT CAST(coalesce(sum(${rowBytes} + octet_length(name) + octet_length(meta)), 0) AS BIGINT) AS bytes
     FROM dropped_series WHERE experiment = $1 AND trash = $2 AND points > 0`,
    experimentId,
    trash,
  );
  await transaction.run(
    `INSERT INTO series (experiment, partition, name, meta)
     SELECT experiment, partition, name, meta FROM dropped_series WHERE experiment = $1 AND trash = $2`,
    experimentId,
    trash,
  );
  await transaction.run(
    "DELETE FROM dropped_series WHERE experiment = $1 AND trash = $2 AND points = 0",
    experimentId,
    trash,
  );
  await transaction.run(
    "UPDATE dropped_series SET trash = NULL, is_out = 0 WHERE experiment = $1 AND trash = $2",
    experimentId,
    trash,
  );
  return living!.bytes;
}
