import type { Transaction } from "../database/database.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { rowBytes } from "../database/quotas/amounts.ts";

export interface SealConsole {
  experimentId: string;
  /** Number of the first line in the object. */
  from: number;
  lines: number;
  key: string;
  bytes: number;
}

/**
 * Publishes a sealed object in place of rows of the log; only if the first unsealed line still is
 * `from`: otherwise another node was faster, or the experiment is purged, and nothing changes.
 */
export async function sealConsole(
  transaction: Transaction,
  { experimentId, from, lines, key, bytes }: SealConsole,
  { ledger }: Counting,
): Promise<{ published: boolean }> {
  const to = from + lines;
  const head = await transaction.get<{ organization: string }>(
    `SELECT experiment.organization FROM head JOIN experiment ON experiment.id = head.experiment
     WHERE head.experiment = $1${transaction.dialect === "postgres" ? " FOR UPDATE OF head" : ""}`,
    experimentId,
  );
  if (head === undefined) return { published: false };
  const moved = await transaction.run(
    "UPDATE console SET sealed = $3 WHERE experiment = $1 AND sealed = $2 AND lines >= $3",
    experimentId,
    from,
    to,
  );
  if (moved === 0) return { published: false };
  await transaction.run(
    `INSERT INTO segment (experiment, number, kind, key, seq_from, seq_to, points, bytes)
     SELECT $1, coalesce(max(number), 0) + 1, 'console', $2, $3, $4, $5, $6 FROM segment WHERE experiment = $1`,
    experimentId,
    key,
    from,
    to - 1,
    lines,
    bytes,
  );
  const rows = await transaction.all<{ bytes: number }>(
    `DELETE FROM console_log WHERE experiment = $1 AND first < $2 RETURNING length(record) AS bytes`,
    experimentId,
    to,
  );
  const freed = rows.reduce((sum, row) => sum + Number(row.bytes) + rowBytes, 0);
  await transaction.run(
    "UPDATE console SET unsealed_bytes = unsealed_bytes - $2 WHERE experiment = $1",
    experimentId,
    freed,
  );
  ledger.note(head.organization, { bytes: bytes - freed });
  return { published: true };
}
