import { limits } from "@lossless/protocol/limits";
import type { Config } from "../../settings/config.ts";
import { Passwords } from "../../ground/passwords.ts";
import { Authenticator } from "./authenticator.ts";
import type { Credentials } from "./credentials.ts";
import { GuessLimit } from "./guess-limit.ts";
import { RateLimit, SenderLimit } from "./rate-limit.ts";

export interface Callers {
  readonly credentials: Credentials;
  readonly authenticator: Authenticator;
  readonly organizationRate: RateLimit;
  /** Limits of all guests of an organization together, and of links opened by network address. */
  readonly guestRate: RateLimit;
  readonly guestOpenings: RateLimit;
  /** Limit of devices that ask to be signed in, and of wrong user codes, by network address. */
  readonly deviceStarts: RateLimit;
  readonly userCodes: RateLimit;
  /** Limit of sign-ins by identity providers that are begun or answered, by network address. */
  readonly signOns: RateLimit;
  readonly passwords: Passwords;
  readonly guesses: GuessLimit;
}

/** Maximum for one network address; many people may share it. */
const deviceStartsPerMinute = 60;
const wrongUserCodesPerMinute = 30;
/**
 * Maximum for one network address: each may cause a request to an identity provider; fifty people
 * in one office begin at nine.
 */
const signOnsPerMinute = 120;
/** Maximum for one network address; a link has 190 random bits. */
const guestOpeningsPerMinute = 60;
const minuteMs = 60_000;

export function callersOf(
  { authFailureLimit, rateLimit }: Pick<Config, "authFailureLimit" | "rateLimit">,
  credentials: Credentials,
): Callers {
  return {
    credentials,
    authenticator: new Authenticator(credentials, new SenderLimit(authFailureLimit, minuteMs)),
    organizationRate: new RateLimit(rateLimit, 1_000),
    guestRate: new RateLimit(limits.guestRequestsPerSecond, 1_000),
    guestOpenings: new SenderLimit(guestOpeningsPerMinute, minuteMs),
    deviceStarts: new SenderLimit(deviceStartsPerMinute, minuteMs),
    userCodes: new SenderLimit(wrongUserCodesPerMinute, minuteMs),
    signOns: new SenderLimit(signOnsPerMinute, minuteMs),
    passwords: new Passwords(),
    guesses: new GuessLimit(),
  };
}
