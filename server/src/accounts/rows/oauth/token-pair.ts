import { limits } from "@lossless/protocol/limits";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { hashSecret, newSecret } from "../../../ground/secrets.ts";

/** An access and a refresh token, shown once: only their hashes are stored. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  accessLifetimeMs: number;
}

/** Why a client is refused a pair: the codes of RFC 6749 5.2 and RFC 8628 3.5. */
export type Refusal =
  | "invalid_grant"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token";

/**
 * The result for a code or refresh token. A refusal is a value, not an error: an error would roll
 * back the end of the grant that comes with the refusal.
 */
export type Redemption = { pair: TokenPair; refusal?: never } | { pair?: never; refusal: Refusal };

/** The program that asks for a pair. */
export interface AskingProgram {
  address: string;
  /** The name by which the program introduces itself. */
  device: string | null;
}

/**
 * Issues the first pair of a grant. Its program is the one that the person sees among their
 * sign-ins: the client of a later refresh may be elsewhere and tells nothing of the sign-in.
 */
export async function issueFirstPair(
  transaction: Transaction,
  grantId: string,
  { address, device }: AskingProgram,
  moment: Moment,
): Promise<Redemption> {
  await transaction.run(
    "UPDATE oauth_grant SET address = $2, device = $3 WHERE id = $1",
    grantId,
    address,
    device,
  );
  return issuePair(transaction, grantId, moment);
}

/** Issues an access token and the refresh token for the next pair. The grant must be live. */
export async function issuePair(
  transaction: Transaction,
  grantId: string,
  { nowMs }: Moment,
): Promise<Redemption> {
  const accessToken = newSecret("at_");
  const refreshToken = newSecret("rt_");
  await transaction.run(
    "DELETE FROM oauth_token WHERE oauth_grant = $1 AND expires_at_ms <= $2",
    grantId,
    nowMs,
  );
  await transaction.run(
    `INSERT INTO oauth_token (hash, oauth_grant, kind, created_at_ms, expires_at_ms)
     VALUES ($1, $3, 'access', $4, $5), ($2, $3, 'refresh', $4, $6)`,
    hashSecret(accessToken),
    hashSecret(refreshToken),
    grantId,
    nowMs,
    nowMs + limits.accessTokenLifetimeMs,
    nowMs + limits.refreshTokenLifetimeMs,
  );
  await transaction.run("UPDATE oauth_grant SET used_at_ms = $2 WHERE id = $1", grantId, nowMs);
  return { pair: { accessToken, refreshToken, accessLifetimeMs: limits.accessTokenLifetimeMs } };
}
