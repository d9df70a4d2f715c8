import { limits } from "@lossless/protocol/limits";
import { type ActingSession, requireLiveSession } from "../../../database/access/live-session.ts";
import { audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { hashSecret } from "../../../ground/secrets.ts";
import { createGrant } from "./grant.ts";
import { normalUserCode } from "./user-code.ts";

/** A person at the page where user codes are entered. */
interface Entering {
  personId: string;
  /** The code as typed. */
  userCode: string;
  address: string;
}

/** The device as shown to the person before they answer. */
export interface AskingDevice {
  userCode: string;
  askedFrom: string;
  askedAtMs: number;
}

/**
 * Enters the code that a device shows, for a signed-in person. From then on the device waits for
 * this person's answer alone. Unknown codes, ended ones and those of other people are treated alike
 * and counted: after deviceCodeTriesMax of them no code is accepted from the person, as long as any
 * code lives that was issued before they guessed.
 */
export async function enterUserCode(
  transaction: Transaction,
  { personId, userCode, address }: Entering,
  moment: Moment,
): Promise<{ device: AskingDevice | undefined; triesLeft: number }> {
  const { nowMs } = moment;
  const wrong = await wrongEntries(transaction, personId, nowMs);
  const code = normalUserCode(userCode);
  const device = code === undefined ? undefined : await bind(transaction, personId, code, nowMs);
  if (device !== undefined) return { device, triesLeft: limits.deviceCodeTriesMax - wrong };
  await transaction.run(
    `INSERT INTO oauth_wrong_entry (person, count, last_at_ms) VALUES ($1, $2, $3)
     ON CONFLICT (person) DO UPDATE SET count = $2, last_at_ms = $3`,
    personId,
    wrong + 1,
    nowMs,
  );
  const triesLeft = limits.deviceCodeTriesMax - wrong - 1;
  if (triesLeft === 0) {
    const entry = { organizationId: null, actor: personId, address };
    await audit(transaction, { ...entry, action: "userCode.refused" }, moment);
  }
  return { device: undefined, triesLeft };
}

/**
 * Allows or denies a device, once and before its code ends, for the person who entered the code.
 * Returns false when there is nothing left to answer; nothing is changed then.
 */
export async function answerDevice(
  transaction: Transaction,
  input: Entering & ActingSession & { allow: boolean },
  moment: Moment,
): Promise<boolean> {
  const { personId, sessionHash, userCode, address, allow } = input;
  await requireLiveSession(transaction, input, moment);
  const code = normalUserCode(userCode) ?? "";
  const device = await transaction.get<{ hash: Uint8Array }>(
    `SELECT hash FROM oauth_device WHERE user_code_hash = $1 AND person = $2
     AND state = 'pending' AND expires_at_ms > $3${transaction.forUpdate}`,
    hashSecret(code),
    personId,
    moment.nowMs,
  );
  if (device === undefined) return false;
  const grant = { personId, sessionHash, flow: "device", address } as const;
  const grantId = allow ? await createGrant(transaction, grant, moment) : null;
  await transaction.run(
    "UPDATE oauth_device SET state = $2, oauth_grant = $3 WHERE hash = $1",
    device.hash,
    allow ? "approved" : "denied",
    grantId,
  );
  if (!allow) {
    const entry = { organizationId: null, actor: personId, address };
    await audit(transaction, { ...entry, action: "device.denied" }, moment);
  }
  return true;
}

/** Returns the number of the person's recent wrong entries; throws when there are too many. */
async function wrongEntries(
  transaction: Transaction,
  personId: string,
  nowMs: number,
): Promise<number> {
  // Serializes the entries of one person, also across nodes.
  await transaction.get(`SELECT id FROM person WHERE id = $1${transaction.forUpdate}`, personId);
  const row = await transaction.get<{ count: number; last_at_ms: number }>(
    "SELECT count, last_at_ms FROM oauth_wrong_entry WHERE person = $1",
    personId,
  );
  if (row === undefined) return 0;
  const waitMs = row.last_at_ms + limits.deviceCodeLifetimeMs - nowMs;
  if (waitMs <= 0) return 0;
  if (row.count < limits.deviceCodeTriesMax) return row.count;
  throw new ServiceError(
    "rate_limited",
    "Too many wrong codes were entered. Wait ten minutes, then start again on the device.",
    { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
  );
}

async function bind(
  transaction: Transaction,
  personId: string,
  code: string,
  nowMs: number,
): Promise<AskingDevice | undefined> {
  const row = await transaction.get<{ asked_from: string; created_at_ms: number }>(
    `UPDATE oauth_device SET person = $1 WHERE user_code_hash = $2 AND state = 'pending'
     AND expires_at_ms > $3 AND (person IS NULL OR person = $1)
     RETURNING asked_from, created_at_ms`,
    personId,
    hashSecret(code),
    nowMs,
  );
  if (row === undefined) return undefined;
  return { userCode: code, askedFrom: row.asked_from, askedAtMs: row.created_at_ms };
}
