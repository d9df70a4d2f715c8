import type { Reader, Transaction } from "../database/database.ts";
import { logPointBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";

export interface SegmentRow {
  kind: "points" | "identifiers";
  key: string;
  seqFrom: number;
  seqTo: number;
  points: number;
  bytes: number;
}

/** Objects replaced by a merge stay this long, so that streams that began before it can finish. */
const graceMs = 60 * 60 * 1000;

/**
 * Publishes a seal: `seal_seq` moves from `from` to `to` only if it still is `from`; otherwise
 * another node sealed first, nothing changes, and the caller drops its objects. The log rows are
 * dead from here on.
 */
export async function sealLog(
  transaction: Transaction,
  input: { experimentId: string; from: number; to: number; points: number; segments: SegmentRow[] },
  { ledger }: Counting,
): Promise<{ published: boolean }> {
  const changed = await transaction.run(
    `UPDATE head SET seal_seq = $3, sealed_points = sealed_points + $4, manifest_seq = manifest_seq + 1
     WHERE experiment = $1 AND seal_seq = $2 AND log_seq >= $3`,
    input.experimentId,
    input.from,
    input.to,
    input.points,
  );
  if (changed === 0) return { published: false };
  await insertSegments(transaction, input.experimentId, input.segments);
  const organizationId = await organizationOf(transaction, input.experimentId);
  ledger.note(organizationId, { bytes: bytesOf(input.segments) });
  return { published: true };
}

/** Replaces segments by the merged ones, if all of them still exist. */
export async function replaceSegments(
  transaction: Transaction,
  input: { experimentId: string; replaced: string[]; segments: SegmentRow[] },
  { nowMs, ledger }: Counting,
): Promise<{ published: boolean }> {
  await transaction.get(
    `SELECT manifest_seq FROM head WHERE experiment = $1${transaction.forUpdate}`,
    input.experimentId,
  );
  const rows = await transaction.all<{ key: string; bytes: number }>(
    `SELECT key, bytes FROM segment WHERE experiment = $1 AND ${transaction.isOneOf("key", "$2")}`,
    input.experimentId,
    JSON.stringify(input.replaced),
  );
  if (rows.length !== input.replaced.length) return { published: false };
  for (const key of input.replaced) {
    await transaction.run(
      "DELETE FROM segment WHERE experiment = $1 AND key = $2",
      input.experimentId,
      key,
    );
    await transaction.run(
      "INSERT INTO garbage (key, delete_after_ms) VALUES ($1, $2)",
      key,
      nowMs + graceMs,
    );
  }
  await insertSegments(transaction, input.experimentId, input.segments);
  await transaction.run(
    "UPDATE head SET manifest_seq = manifest_seq + 1 WHERE experiment = $1",
    input.experimentId,
  );
  const organizationId = await organizationOf(transaction, input.experimentId);
  ledger.note(organizationId, { bytes: bytesOf(input.segments) - bytesOf(rows) });
  return { published: true };
}

/**
 * Deletes some log rows that are sealed, and that the summaries hold where points are counted;
 * small steps, so that no group commit waits long. On a worker, which has no summaries, `upTo` says
 * how far.
 */
export async function trimLog(
  transaction: Transaction,
  input: { experimentId: string; rows: number; points: number; upTo?: number | undefined },
  { ledger }: Counting,
): Promise<{ mayHaveMore: boolean }> {
  const trimmed = await transaction.all<{ points: number }>(
    `DELETE FROM log WHERE experiment = $1 AND seq IN (
       SELECT seq FROM (
         SELECT seq, sum(points) OVER (ORDER BY seq) - points AS points_before FROM (
           SELECT seq, points FROM log WHERE experiment = $1
           AND seq <= (SELECT seal_seq FROM head WHERE experiment = $1)
           AND seq <= coalesce(
             (SELECT folded_seq FROM summarized WHERE experiment = $1 AND counted = 1), $4)
           ORDER BY seq LIMIT $2) AS first_rows) AS counted_rows
       WHERE points_before < $3)
     RETURNING points`,
    input.experimentId,
    input.rows,
    input.points,
    input.upTo ?? Number.MAX_SAFE_INTEGER,
  );
  const points = trimmed.reduce((sum, row) => sum + row.points, 0);
  if (trimmed.length > 0) {
    const organizationId = await organizationOf(transaction, input.experimentId);
    ledger.note(organizationId, { bytes: -logPointBytes * points });
  }
  return { mayHaveMore: trimmed.length === input.rows || points >= input.points };
}

/** Removes garbage rows whose objects have been deleted. */
export async function forgetGarbage(
  transaction: Transaction,
  input: { keys: string[]; server?: number },
): Promise<Record<string, never>> {
  for (const key of input.keys) await transaction.run("DELETE FROM garbage WHERE key = $1", key);
  return {};
}

function bytesOf(segments: readonly { bytes: number }[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function organizationOf(reader: Reader, experimentId: string): Promise<string> {
  const row = await reader.get<{ organization: string }>(
    "SELECT organization FROM experiment WHERE id = $1",
    experimentId,
  );
  if (row === undefined) throw new Error(`BUG: segments of ${experimentId}, which is not there`);
  return row.organization;
}

async function insertSegments(
  transaction: Transaction,
  experimentId: string,
  segments: SegmentRow[],
): Promise<void> {
  const last = await transaction.get<{ number: number | null }>(
    "SELECT MAX(number) AS number FROM segment WHERE experiment = $1",
    experimentId,
  );
  let number = last?.number ?? 0;
  for (const segment of segments) {
    number++;
    await transaction.run(
      `INSERT INTO segment (experiment, number, kind, key, seq_from, seq_to, points, bytes)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      experimentId,
      number,
      segment.kind,
      segment.key,
      segment.seqFrom,
      segment.seqTo,
      segment.points,
      segment.bytes,
    );
  }
}
