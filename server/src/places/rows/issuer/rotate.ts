import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { sealedKeyId } from "../../../ground/sealing.ts";
import { insertKey } from "./add.ts";
import { type NewKey, retiredPublishedMs, tokenLifeMs } from "./key.ts";

export interface WantedRotation {
  /** The key to activate; the caller has seen that it is published. */
  nextId: string;
  /** The one that is published from now on. */
  fresh: NewKey;
  /** Minimal time that the next key has to have been published. */
  publishedMsMin: number;
  /** Whether the former keys are no longer published, because others may have them. */
  withdraws: boolean;
  by: Actor;
}

/** `isDone: false`: another node or person has rotated, or it is too early; nothing was changed. */
export interface RotatedKeys {
  isDone: boolean;
}

/**
 * `issuer.rotate`: the next key becomes the active one, the active one loses its private half, and
 * a fresh one is published. Both are compared here, under their lock, because several nodes may
 * come to this at once.
 */
export async function rotateKeys(
  transaction: Transaction,
  { nextId, fresh, publishedMsMin, withdraws, by }: WantedRotation,
  moment: Moment,
): Promise<RotatedKeys> {
  const { nowMs } = moment;
  const current = await transaction.all<CurrentKey>(
    `SELECT id, state, changed_at_ms AS "changedAtMs", sealed_key AS "sealedKey" FROM issuer_key
     WHERE state IN ('next', 'active') ORDER BY id${transaction.forUpdate}`,
  );
  const next = current.find(({ state }) => state === "next");
  const active = current.find(({ state }) => state === "active");
  if (next?.id !== nextId || active === undefined) return { isDone: false };
  if (nowMs - next.changedAtMs < publishedMsMin) return { isDone: false };
  requireOneMasterKey(next, fresh);
  await transaction.run(
    "UPDATE issuer_key SET state = 'retired', sealed_key = NULL, changed_at_ms = $2 WHERE id = $1",
    active.id,
    nowMs,
  );
  if (withdraws) await transaction.run("DELETE FROM issuer_key WHERE state = 'retired'");
  await transaction.run(
    "UPDATE issuer_key SET state = 'active', changed_at_ms = $2 WHERE id = $1",
    next.id,
    nowMs,
  );
  if (!(await insertKey(transaction, fresh, "next", moment))) {
    throw new Error("BUG: the next key of the issuer is there twice");
  }
  const details = {
    retired: active.id,
    next: fresh.id,
    isWithdrawn: withdraws,
    publishedHours: Math.floor((nowMs - next.changedAtMs) / 3_600_000),
  };
  const entry = { ...by, organizationId: null, action: "issuer.keyRotated", subject: next.id };
  await audit(transaction, { ...entry, details }, moment);
  return { isDone: true };
}

/** `issuer.forget`: retired keys that no token can name any more. Gives how many. */
export async function forgetKeys(
  transaction: Transaction,
  _input: Record<string, never>,
  { nowMs }: Moment,
): Promise<number> {
  return transaction.run(
    "DELETE FROM issuer_key WHERE state = 'retired' AND changed_at_ms < $1",
    nowMs - retiredPublishedMs - tokenLifeMs,
  );
}

interface CurrentKey {
  id: string;
  state: "next" | "active";
  changedAtMs: number;
  sealedKey: Uint8Array;
}

/**
 * Requires one master key: a command with an old one beside the service must not leave a key that
 * cannot be opened.
 */
function requireOneMasterKey(current: CurrentKey, fresh: NewKey): void {
  if (sealedKeyId(current.sealedKey) === sealedKeyId(fresh.sealedKey)) return;
  throw new ServiceError(
    "conflict",
    "The keys of the token issuer are sealed under another master key; nothing was changed.",
  );
}
