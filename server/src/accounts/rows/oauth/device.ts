import { limits } from "@lossless/protocol/limits";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { hashSecret, newSecret } from "../../../ground/secrets.ts";
import { endGrant, isLiveGrant } from "./grant.ts";
import { type AskingProgram, issueFirstPair, type Redemption } from "./token-pair.ts";
import { newUserCode } from "./user-code.ts";

/**
 * Maximum of codes that wait at once, since any caller may ask for them. The limit of each address
 * is reached long before.
 */
const waitingMax = 100_000;
const waitingPerAddressMax = 30;
/**
 * Time that answered codes are kept after their end: a late device is told the outcome, and a code
 * used twice is recognized.
 */
const answeredKeptMs = 60 * 60 * 1_000;
/** Time that unanswered codes are kept after their end; shorter, because there can be many. */
const waitingKeptMs = 10 * 60 * 1_000;
/** Increase of the polling interval by `slow_down` (RFC 8628 3.5). */
const slowDownMs = 5_000;

export type DeviceState = "pending" | "approved" | "denied" | "redeemed";

export interface DeviceCodes {
  deviceCode: string;
  userCode: string;
  lifetimeMs: number;
  intervalMs: number;
}

/**
 * Starts the sign-in of a device without a browser: issues a code for the device and one for the
 * person who allows it.
 */
export async function startDevice(
  transaction: Transaction,
  { address }: { address: string },
  { nowMs }: Moment,
): Promise<DeviceCodes> {
  await transaction.run(
    `DELETE FROM oauth_device WHERE expires_at_ms < $1
       OR (expires_at_ms < $2 AND state = 'pending')`,
    nowMs - answeredKeptMs,
    nowMs - waitingKeptMs,
  );
  await refuseCrowd(transaction, address, nowMs);
  const deviceCode = newSecret("dc_");
  const intervalMs = limits.devicePollIntervalMs;
  for (;;) {
    const userCode = newUserCode();
    const inserted = await transaction.run(
      `INSERT INTO oauth_device (hash, user_code_hash, state, asked_from, created_at_ms, expires_at_ms, interval_ms)
       VALUES ($1, $2, 'pending', $3, $4, $5, $6) ON CONFLICT (user_code_hash) DO NOTHING`,
      hashSecret(deviceCode),
      hashSecret(userCode),
      address,
      nowMs,
      nowMs + limits.deviceCodeLifetimeMs,
      intervalMs,
    );
    // With the maximum of codes waiting, one new code in 250,000 is already taken.
    if (inserted === 0) continue;
    return { deviceCode, userCode, lifetimeMs: limits.deviceCodeLifetimeMs, intervalMs };
  }
}

/**
 * Refuses a code where too many wait, and says when the next place is free. Answered, redeemed and
 * expired codes take no place.
 */
async function refuseCrowd(
  transaction: Transaction,
  address: string,
  nowMs: number,
): Promise<void> {
  const waiting = await transaction.get<{
    count: number;
    first_end_ms: number | null;
    own_count: number;
    own_first_end_ms: number | null;
  }>(
    `SELECT count(*) AS count, min(expires_at_ms) AS first_end_ms,
       count(CASE WHEN asked_from = $1 THEN 1 END) AS own_count,
       min(CASE WHEN asked_from = $1 THEN expires_at_ms END) AS own_first_end_ms
     FROM oauth_device WHERE state = 'pending' AND expires_at_ms > $2`,
    address,
    nowMs,
  );
  if (waiting === undefined) throw new Error("BUG: counting gave no row");
  if (waiting.own_count >= waitingPerAddressMax) {
    const sentence = "Too many devices of your network are waiting for a sign-in; try again later.";
    throw new ServiceError("rate_limited", sentence, retryAfter(waiting.own_first_end_ms, nowMs));
  }
  if (waiting.count >= waitingMax) {
    const sentence = "Too many devices are waiting for a sign-in; try again later.";
    throw new ServiceError("overloaded", sentence, retryAfter(waiting.first_end_ms, nowMs));
  }
}

function retryAfter(endMs: number | null, nowMs: number): { retryAfterSeconds: number } {
  return { retryAfterSeconds: Math.max(1, Math.ceil(((endMs ?? nowMs) - nowMs) / 1_000)) };
}

interface DeviceRow {
  state: DeviceState;
  oauth_grant: string | null;
  expires_at_ms: number;
  polled_at_ms: number | null;
  interval_ms: number;
}

/** Issues the pair of a device, once. After that, its code is a secret shown twice. */
export async function redeemDevice(
  transaction: Transaction,
  { deviceHash, ...program }: { deviceHash: Uint8Array } & AskingProgram,
  moment: Moment,
): Promise<Redemption> {
  const { nowMs } = moment;
  const device = await transaction.get<DeviceRow>(
    `SELECT state, oauth_grant, expires_at_ms, polled_at_ms, interval_ms FROM oauth_device
     WHERE hash = $1${transaction.forUpdate}`,
    deviceHash,
  );
  if (device === undefined) return { refusal: "invalid_grant" };
  const { state, oauth_grant: grantId } = device;
  if (state === "redeemed" && grantId !== null) {
    const end = { grantId, actor: "service", address: program.address };
    await endGrant(transaction, { ...end, reason: "device_code_reused" }, moment);
    return { refusal: "invalid_grant" };
  }
  if (state === "denied") return { refusal: "access_denied" };
  if (device.expires_at_ms <= nowMs) return { refusal: "expired_token" };
  if (state === "pending") return wait(transaction, deviceHash, device, moment);
  if (grantId === null) throw new Error(`BUG: a device in state ${state} got no grant`);
  if (!(await isLiveGrant(transaction, grantId))) return { refusal: "invalid_grant" };
  await transaction.run("UPDATE oauth_device SET state = 'redeemed' WHERE hash = $1", deviceHash);
  return issueFirstPair(transaction, grantId, program, moment);
}

async function wait(
  transaction: Transaction,
  deviceHash: Uint8Array,
  { polled_at_ms: polledAtMs, interval_ms: intervalMs }: DeviceRow,
  { nowMs }: Moment,
): Promise<Redemption> {
  const isEarly = polledAtMs !== null && nowMs - polledAtMs < intervalMs;
  await transaction.run(
    "UPDATE oauth_device SET polled_at_ms = $2, interval_ms = $3 WHERE hash = $1",
    deviceHash,
    nowMs,
    isEarly ? intervalMs + slowDownMs : intervalMs,
  );
  return { refusal: isEarly ? "slow_down" : "authorization_pending" };
}
