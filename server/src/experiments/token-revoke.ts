import type { ReplyData } from "@lossless/protocol";
import type { Moment } from "../ground/clock.ts";
import type { Transaction } from "../database/database.ts";

export interface RevokeToken {
  experimentId: string;
  /** SHA-256 of the token with which the request came. */
  tokenHash: Uint8Array;
}

/**
 * `experiment.tokenRevoke`: ends the presented token and those it was refreshed from, which may
 * still be in their 30 seconds. Tokens of other opens live on (M36).
 */
export async function revokeToken(
  transaction: Transaction,
  { experimentId, tokenHash }: RevokeToken,
  { nowMs }: Moment,
): Promise<ReplyData<"svc.v2.experiment.tokenRevoke">> {
  await transaction.run(
    `WITH RECURSIVE ancestor (hash) AS (
       SELECT hash FROM token WHERE hash = $1
       UNION SELECT token.predecessor FROM token JOIN ancestor ON token.hash = ancestor.hash
       WHERE token.predecessor IS NOT NULL
     )
     UPDATE token SET revoked_at_ms = $3
     WHERE hash IN (SELECT hash FROM ancestor) AND experiment = $2 AND revoked_at_ms IS NULL`,
    tokenHash,
    experimentId,
    nowMs,
  );
  return { experimentId };
}
