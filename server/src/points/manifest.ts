import type { Transaction } from "../database/database.ts";

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
 * Publishes a seal: `seal_seq` moves from `from` to `to` only if it still is `from`; otherwise another node
 * sealed first, nothing changes, and the caller drops its objects. The log rows are dead from here on.
 */
export async function sealLog(
  transaction: Transaction,
  input: { experimentId: string; from: number; to: number; points: number; segments: SegmentRow[] },
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
  return { published: true };
}

/** Replaces segments by their merger, if all of them are still there. */
export async function replaceSegments(
  transaction: Transaction,
  input: { experimentId: string; replaced: string[]; segments: SegmentRow[] },
  context: { nowMs: number },
): Promise<{ published: boolean }> {
  await transaction.get(
    `SELECT manifest_seq FROM head WHERE experiment = $1${transaction.forUpdate}`,
    input.experimentId,
  );
  const rows = await transaction.all<{ key: string }>(
    `SELECT key FROM segment WHERE experiment = $1 AND ${transaction.isOneOf("key", "$2")}`,
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
      context.nowMs + graceMs,
    );
  }
  await insertSegments(transaction, input.experimentId, input.segments);
  await transaction.run(
    "UPDATE head SET manifest_seq = manifest_seq + 1 WHERE experiment = $1",
    input.experimentId,
  );
  return { published: true };
}

/** Deletes some log rows that are sealed; small steps, so that no group commit waits long. */
export async function trimLog(
  transaction: Transaction,
  input: { experimentId: string; rows: number },
): Promise<{ trimmed: number }> {
  const trimmed = await transaction.run(
    `DELETE FROM log WHERE experiment = $1 AND seq IN (
       SELECT seq FROM log WHERE experiment = $1
       AND seq <= (SELECT seal_seq FROM head WHERE experiment = $1) ORDER BY seq LIMIT $2)`,
    input.experimentId,
    input.rows,
  );
  return { trimmed };
}

/** Forgets garbage rows whose objects have been deleted. */
export async function forgetGarbage(
  transaction: Transaction,
  input: { keys: string[] },
): Promise<Record<string, never>> {
  for (const key of input.keys) await transaction.run("DELETE FROM garbage WHERE key = $1", key);
  return {};
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
