import { audit } from "../../database/audit/audit.ts";
import type { Transaction } from "../../database/database.ts";
import { leaveAllAgreements } from "../../experiments/told/agreement.ts";

export interface Ended {
  experimentTokens: number;
  personalTokens: number;
  sessions: number;
  signIns: number;
  invitations: number;
  /** API keys that stay valid, including those revoked since the backup, unless all are revoked. */
  apiKeys: number;
}

/** Upper limit of the changes and points that one experiment may gain in a second. */
const revisionsPerSecond = 2 ** 20;
/** Upper limit of how often an artifact may have been opened since the backup. */
const epochJump = 1_000_000;

/**
 * Adjusts an installation that continues from an earlier state of itself, in one transaction:
 *
 * - Revisions, by which clients know whether their copies are current, are raised above all that
 *   were ever given out. The jump follows from the time, so that it differs for each restore, of
 *   any backup.
 * - Workers, which may be of a later moment, are told what is deleted now.
 * - Epochs are raised above those of writers from after the backup, which would otherwise be taken
 *   for the present ones.
 * - Tokens, personal ones and those of identity providers too, sessions, sign-ins, invitations and
 *   guest links are
 *   ended: some were ended since the backup, which does not record that.
 */
export async function adjustAfterRestore(
  transaction: Transaction,
  { generation, revokeKeys }: { generation?: string; revokeKeys: boolean },
  nowMs: number,
): Promise<Ended> {
  await raiseRevisions(transaction, nowMs);
  await leaveAllAgreements(transaction, { nowMs });
  await transaction.run("UPDATE artifact SET epoch = epoch + $1", epochJump);
  const experimentTokens = await transaction.run(
    "UPDATE token SET revoked_at_ms = $1 WHERE revoked_at_ms IS NULL",
    nowMs,
  );
  const sessions = await transaction.run("DELETE FROM session");
  const signIns = await transaction.run(
    "UPDATE oauth_grant SET ended_at_ms = $1 WHERE ended_at_ms IS NULL",
    nowMs,
  );
  const personalTokens = await transaction.run(
    "UPDATE personal_token SET ended_at_ms = $1 WHERE ended_at_ms IS NULL",
    nowMs,
  );
  await transaction.run("UPDATE guest_link SET ended_at_ms = $1 WHERE ended_at_ms IS NULL", nowMs);
  await transaction.run("DELETE FROM scim_token");
  await transaction.run("DELETE FROM oauth_code");
  await transaction.run("DELETE FROM oauth_device");
  const invitations = await transaction.run(
    "UPDATE invitation SET ended_at_ms = $1 WHERE ended_at_ms IS NULL",
    nowMs,
  );
  if (revokeKeys) {
    await transaction.run(
      "UPDATE api_key SET revoked_at_ms = $1 WHERE revoked_at_ms IS NULL",
      nowMs,
    );
  }
  const [{ apiKeys }] = await transaction.all<{ apiKeys: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS "apiKeys" FROM api_key WHERE revoked_at_ms IS NULL`,
  );
  const ended = { experimentTokens, personalTokens, sessions, signIns, invitations, apiKeys };
  const operator = { actor: "operator", address: null, organizationId: null };
  const details = { ...ended, revokeKeys };
  await audit(
    transaction,
    {
      ...operator,
      action: "backup.restored",
      ...(generation !== undefined && { subject: generation }),
      details,
    },
    { nowMs },
  );
  return ended;
}

async function raiseRevisions(transaction: Transaction, nowMs: number): Promise<void> {
  const row = await transaction.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = 'revision_jump'",
  );
  // A clock that was put back must not make two restores alike.
  const least = Number(row?.value ?? 0) + 2 ** 32;
  const jump = Math.max(Math.floor(nowMs / 1_000) * revisionsPerSecond, least);
  if (jump >= Number.MAX_SAFE_INTEGER / 2) throw new Error(`BUG: got the revision jump ${jump}`);
  await transaction.run(
    "UPDATE installation SET value = $1 WHERE name = 'revision_jump'",
    String(jump),
  );
}
