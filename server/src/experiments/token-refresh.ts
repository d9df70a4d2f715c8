import type { ReplyData, RequestData } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Moment } from "../ground/clock.ts";
import type { Transaction } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import { hashSecret } from "../ground/secrets.ts";
import { issueToken } from "./token.ts";

export interface RefreshToken {
  organizationId: string;
  data: RequestData<"svc.v2.experiment.tokenRefresh">;
}

/**
 * `experiment.tokenRefresh`. The presented token works 30 seconds longer at most, never longer than
 * it would have anyway. One in its 30 seconds may be refreshed again: the reply to the first try
 * may be lost (M35). Check and change are one statement, so of many refreshes at once each sees a
 * valid token.
 */
export async function refreshToken(
  transaction: Transaction,
  { organizationId, data: { experimentId, experimentToken } }: RefreshToken,
  { nowMs }: Moment,
): Promise<ReplyData<"svc.v2.experiment.tokenRefresh">> {
  const presented = hashSecret(experimentToken);
  const changed = await transaction.run(
    `UPDATE token SET expires_at_ms = CASE WHEN expires_at_ms < $4 THEN expires_at_ms ELSE $4 END
     WHERE hash = $1 AND experiment = $2 AND organization = $3 AND revoked_at_ms IS NULL
       AND expires_at_ms > $5`,
    presented,
    experimentId,
    organizationId,
    nowMs + limits.tokenGraceMs,
    nowMs,
  );
  if (changed === 0) {
    throw new ServiceError(
      "experiment_token_invalid",
      "The experiment token is unknown, expired, revoked or of another experiment; open the slug again.",
    );
  }
  return issueToken(transaction, { organizationId, experimentId, predecessor: presented }, nowMs);
}
