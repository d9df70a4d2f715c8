import { limits } from "@lossless/protocol/limits";
import type { Reader, Transaction } from "../../database/database.ts";
import { subjectOf } from "./subject.ts";
import { type UsedVersion, usedVersionOf } from "./used-version.ts";

/** The values of the column `direction`. */
export const directions = { used: 0, wrote: 1 } as const;

interface OfExperiment {
  experimentId: string;
  atMs: number;
}

/**
 * Records that an experiment used a version, once a role, as it was the first time. Beyond the
 * limit of an experiment nothing is recorded. The experiment's head is locked.
 */
export async function addUse(
  transaction: Transaction,
  { experimentId, atMs }: OfExperiment,
  { role, named, ...version }: UsedVersion,
): Promise<void> {
  const subject = subjectOf(version);
  const before = await findUse(transaction, experimentId, { subject, role });
  if (before !== undefined) {
    if (before.atMs <= atMs) return;
    await transaction.run(
      `UPDATE lineage SET at_ms = $4, named = $5
       WHERE experiment = $1 AND direction = ${directions.used} AND subject = $2 AND role = $3`,
      experimentId,
      subject,
      role,
      atMs,
      named,
    );
    return;
  }
  // The row of the experiment's summaries counts the uses.
  const counted = await transaction.run(
    `UPDATE summarized SET uses = uses + 1
     WHERE experiment = $1 AND uses < ${limits.usesPerExperimentMax}`,
    experimentId,
  );
  if (counted === 0) return;
  await transaction.run(
    `INSERT INTO lineage (experiment, direction, subject, role, organization, named, step, at_ms)
     SELECT id, ${directions.used}, $2, $3, organization, $4, NULL, CAST($5 AS BIGINT) FROM experiment
     WHERE id = $1`,
    experimentId,
    subject,
    role,
    named,
    atMs,
  );
}

/** Returns when an experiment first used a version in a role; undefined: it did not. */
export async function findUse(
  reader: Reader,
  experimentId: string,
  { subject, role }: { subject: string; role: string },
): Promise<{ atMs: number } | undefined> {
  return reader.get<{ atMs: number }>(
    `SELECT at_ms AS "atMs" FROM lineage
     WHERE experiment = $1 AND direction = ${directions.used} AND subject = $2 AND role = $3`,
    experimentId,
    subject,
    role,
  );
}

/** Records the use that an annotation tells, if it tells one. */
export async function addAnnotatedUse(
  transaction: Transaction,
  of: OfExperiment,
  metaText: string,
): Promise<void> {
  const used = usedVersionOf(metaText);
  if (used !== undefined) await addUse(transaction, of, used);
}

/** Removes some rows of a purged experiment; returns their number, 0 when none is left. */
export async function forgetLineage(
  transaction: Transaction,
  experimentId: string,
  rowsPerStep: number,
): Promise<number> {
  return transaction.run(
    `DELETE FROM lineage WHERE experiment = $1 AND (direction, subject, role) IN (
       SELECT direction, subject, role FROM lineage WHERE experiment = $1
       ORDER BY direction, subject, role LIMIT $2)`,
    experimentId,
    rowsPerStep,
  );
}
