import { CommandError } from "../command.ts";
import type { Output } from "../output.ts";
import {
  type AuthorizationServer,
  fetchDeviceCodes,
  fetchTokens,
  OauthError,
  OutOfReach,
  type Tokens,
} from "./authorization-server.ts";

const grantType = "urn:ietf:params:oauth:grant-type:device_code";
/** Addition to the interval on `slow_down` (RFC 8628 3.5). */
const slowDownMs = 5_000;
/** Approximate limit of the pauses, which double while the service does not answer. */
const retryIntervalMaxMs = 30_000;

/**
 * Signs in on a machine without a browser (RFC 8628): the person enters a code on another one,
 * while this one polls.
 */
export async function signInByDevice(server: AuthorizationServer, output: Output): Promise<Tokens> {
  const codes = await fetchDeviceCodes(server);
  const page = printable(codes.verification_uri);
  const userCode = printable(codes.user_code);
  if (output.json) output.line(JSON.stringify({ verificationUri: page, userCode }));
  output.note(`On any machine, open\n\n    ${page}\n\nand enter the code\n\n    ${userCode}\n`);
  output.note("Waiting for your answer ...");
  const endMs = performance.now() + codes.expires_in * 1_000;
  // RFC 8628 3.2: five seconds by default.
  let intervalMs = (codes.interval ?? 5) * 1_000;
  let waitMs = intervalMs;
  let outage: OutOfReach | undefined;
  for (;;) {
    const leftMs = endMs - performance.now();
    if (!(leftMs > 0)) throw outage ?? new CommandError(tooLate);
    await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, leftMs)));
    try {
      return await fetchTokens(server.token_endpoint, {
        grant_type: grantType,
        device_code: codes.device_code,
      });
    } catch (error) {
      outage = error instanceof OutOfReach ? error : undefined;
      if (outage === undefined) intervalMs = nextIntervalMs(error, intervalMs);
      if (outage === undefined) waitMs = intervalMs;
      else if (waitMs < retryIntervalMaxMs) waitMs *= 2;
    }
  }
}

const tooLate = "the code was not entered in time; run lossless login again";

/** The interval until the next poll; throws when the answer is final. */
function nextIntervalMs(error: unknown, intervalMs: number): number {
  if (!(error instanceof OauthError)) throw error;
  switch (error.code) {
    case "authorization_pending":
      return intervalMs;
    case "slow_down":
      return intervalMs + slowDownMs;
    case "access_denied":
      throw new CommandError("the sign-in was denied");
    case "expired_token":
      throw new CommandError(tooLate);
    default:
      throw error;
  }
}

/** Removes unprintable characters, so that the service cannot control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "");
}
