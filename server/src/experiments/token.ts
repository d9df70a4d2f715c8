import { limits } from "@lossless/protocol/limits";
import type { Transaction } from "../database/database.ts";
import { hashSecret, newSecret } from "../ground/secrets.ts";

export interface IssuedToken {
  experimentId: string;
  experimentToken: string;
  expiresAtMs: number;
}

/** Makes a token that lives 24 hours. Only its hash is stored. */
export async function issueToken(
  transaction: Transaction,
  of: { organizationId: string; experimentId: string; predecessor: Uint8Array | null },
  nowMs: number,
): Promise<IssuedToken> {
  const experimentToken = newSecret("ik_");
  const hash = hashSecret(experimentToken);
  const expiresAtMs = nowMs + limits.tokenLifetimeMs;
  await transaction.run(
    `INSERT INTO token (hash, experiment, organization, issued_at_ms, expires_at_ms, predecessor)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    hash,
    of.experimentId,
    of.organizationId,
    nowMs,
    expiresAtMs,
    of.predecessor,
  );
  await forgetDeadTokens(transaction, of.experimentId, nowMs);
  await expireOldestTokens(transaction, of.experimentId, hash, nowMs);
  return { experimentId: of.experimentId, experimentToken, expiresAtMs };
}

/**
 * Removes dead tokens after a day: a clock that is put back must not make one of them unknown or
 * valid in between.
 */
async function forgetDeadTokens(
  transaction: Transaction,
  experimentId: string,
  nowMs: number,
): Promise<void> {
  await transaction.run(
    "DELETE FROM token WHERE experiment = $1 AND expires_at_ms < $2",
    experimentId,
    nowMs - limits.tokenLifetimeMs,
  );
}

/** A soft cap: an experiment opened over and over keeps its newest 1,000 tokens (M29). */
async function expireOldestTokens(
  transaction: Transaction,
  experimentId: string,
  newest: Uint8Array,
  nowMs: number,
): Promise<void> {
  const isLive = "experiment = $1 AND expires_at_ms > $2 AND revoked_at_ms IS NULL";
  const row = await transaction.get<{ tokens: number }>(
    `SELECT count(*) AS tokens FROM token WHERE ${isLive}`,
    experimentId,
    nowMs,
  );
  const excess = (row?.tokens ?? 0) - limits.tokensPerExperimentMax;
  if (excess <= 0) return;
  await transaction.run(
    `UPDATE token SET expires_at_ms = $2 WHERE hash IN (
       SELECT hash FROM token WHERE ${isLive} AND hash <> $3 ORDER BY issued_at_ms, hash LIMIT $4)`,
    experimentId,
    nowMs,
    newest,
    excess,
  );
}
