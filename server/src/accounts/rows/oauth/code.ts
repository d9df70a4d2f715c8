import { limits } from "@lossless/protocol/limits";
import { type ActingSession, requireLiveSession } from "../../../database/access/live-session.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { hashSecret, newSecret } from "../../../ground/secrets.ts";
import { createGrant, endGrant, type GrantEnd, isLiveGrant } from "./grant.ts";
import { type AskingProgram, issueFirstPair, type Redemption } from "./token-pair.ts";

/** Time that codes are kept after their end, so that a code shown again is recognized. */
const codeKeptMs = 24 * 60 * 60 * 1_000;

/**
 * Records a person's consent: a grant, and the code for which the client fetches its first pair.
 */
export async function grantCode(
  transaction: Transaction,
  input: ActingSession & { redirectUri: string; codeChallenge: string; address: string },
  moment: Moment,
): Promise<{ code: string }> {
  const { personId, sessionHash, redirectUri, codeChallenge, address } = input;
  const { nowMs } = moment;
  await requireLiveSession(transaction, input, moment);
  await transaction.run("DELETE FROM oauth_code WHERE expires_at_ms < $1", nowMs - codeKeptMs);
  const grant = { personId, sessionHash, flow: "code", address } as const;
  const grantId = await createGrant(transaction, grant, moment);
  const code = newSecret("co_");
  await transaction.run(
    `INSERT INTO oauth_code (hash, oauth_grant, redirect_uri, code_challenge, expires_at_ms)
     VALUES ($1, $2, $3, $4, $5)`,
    hashSecret(code),
    grantId,
    redirectUri,
    codeChallenge,
    nowMs + limits.authorizationCodeLifetimeMs,
  );
  return { code };
}

interface CodeRow {
  oauth_grant: string;
  redirect_uri: string;
  code_challenge: string;
  expires_at_ms: number;
  used_at_ms: number | null;
}

/**
 * Exchanges a code for a pair, once. A code shown a second time ends the grant of the first (RFC
 * 6749 4.1.2). A wrong verifier or redirect address spends the code as well: a client that has the
 * code without them is not the one that asked for it.
 */
export async function redeemCode(
  transaction: Transaction,
  input: { codeHash: Uint8Array; redirectUri: string; codeChallenge: string } & AskingProgram,
  moment: Moment,
): Promise<Redemption> {
  const row = await transaction.get<CodeRow>(
    `SELECT oauth_grant, redirect_uri, code_challenge, expires_at_ms, used_at_ms FROM oauth_code
     WHERE hash = $1${transaction.forUpdate}`,
    input.codeHash,
  );
  if (row === undefined) return { refusal: "invalid_grant" };
  const { oauth_grant: grantId } = row;
  const misuse = misuseOf(row, input);
  if (misuse !== undefined) {
    await spend(transaction, input.codeHash, moment);
    const end = { grantId, actor: "service", address: input.address };
    await endGrant(transaction, { ...end, reason: misuse }, moment);
    return { refusal: "invalid_grant" };
  }
  await spend(transaction, input.codeHash, moment);
  const isLive = row.expires_at_ms > moment.nowMs && (await isLiveGrant(transaction, grantId));
  return isLive
    ? issueFirstPair(transaction, grantId, input, moment)
    : { refusal: "invalid_grant" };
}

function misuseOf(
  row: CodeRow,
  { redirectUri, codeChallenge }: { redirectUri: string; codeChallenge: string },
): GrantEnd | undefined {
  if (row.used_at_ms !== null) return "code_reused";
  if (row.redirect_uri !== redirectUri) return "wrong_redirect_uri";
  return row.code_challenge === codeChallenge ? undefined : "wrong_code_verifier";
}

async function spend(
  transaction: Transaction,
  codeHash: Uint8Array,
  { nowMs }: Moment,
): Promise<void> {
  await transaction.run(
    "UPDATE oauth_code SET used_at_ms = coalesce(used_at_ms, $2) WHERE hash = $1",
    codeHash,
    nowMs,
  );
}
