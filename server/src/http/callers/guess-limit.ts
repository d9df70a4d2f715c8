import { createHash } from "node:crypto";
import { ServiceError } from "../../ground/errors.ts";
import { FairShares } from "../../ground/fair-shares.ts";
import { normalEmail } from "../../accounts/rows/people/person.ts";
import { senderOf } from "../limits/client-address.ts";
import { RateLimit, rateLimited } from "./rate-limit.ts";

const intervalMs = 5 * 60_000;
const perAccountAndSender = 10;
/**
 * Wrong attempts for an account in an interval, from all senders. Far more than from one: otherwise
 * anyone could lock out a person they know. It stops guesses from many networks.
 */
const perAccount = 100;
const perSender = 30;
/**
 * Right attempts of an account that are free: one a second on average, and this many after a pause;
 * more count as wrong.
 */
const rightPerMinute = 60;
/** Sign-ins that wait for others of their account or sender to end; of each at most half. */
const waitingMax = 1_000;
/**
 * Pairs of account and sender remembered after a sign-in; for them guesses from elsewhere do not
 * lock the account.
 */
const knownMax = 10_000;

/**
 * Bounds how often passwords and links can be guessed, in this process. Wrong attempts count for an
 * account from one sender, for the account whether it exists or not, and for the sender. Right ones
 * count where they are a flood: each is a slow hash and rows of the audit log. Running attempts
 * reserve their allowance, and an attempt that finds none left waits for those to end before it is
 * refused.
 */
export class GuessLimit {
  readonly #pairs: RateLimit;
  readonly #accounts: RateLimit;
  readonly #senders: RateLimit;
  readonly #right: RateLimit;
  readonly #audited: RateLimit;
  readonly #known = new Set<string>();
  readonly #running = new Map<string, Running>();
  readonly #waiting = new FairShares(waitingMax);

  constructor(clock?: () => number) {
    this.#pairs = new RateLimit(perAccountAndSender, intervalMs, clock);
    this.#accounts = new RateLimit(perAccount, intervalMs, clock);
    this.#senders = new RateLimit(perSender, intervalMs, clock);
    this.#right = new RateLimit(rightPerMinute, 60_000, clock);
    this.#audited = new RateLimit(1, intervalMs, clock);
  }

  /** Runs one attempt; it was wrong if it ends with `unauthorized`. Throws `rate_limited`. */
  async attempt<T>(email: string, address: string, run: () => Promise<T>): Promise<T> {
    const account = keyOf(normalEmail(email));
    const sender = senderOf(address);
    const pair = `${account} ${sender}`;
    const allowances: Allowance[] = [
      { limit: this.#pairs, key: pair },
      { limit: this.#senders, key: sender },
    ];
    if (!this.#known.has(pair)) allowances.push({ limit: this.#accounts, key: account });
    await this.#reserve(allowances);
    let isFree = false;
    try {
      const result = await run();
      isFree = this.#right.hasTaken(account);
      this.#remember(pair);
      return result;
    } catch (error) {
      const isWrong = error instanceof ServiceError && error.code === "unauthorized";
      isFree = !isWrong && this.#right.hasTaken(account);
      throw error;
    } finally {
      for (const { limit, key } of allowances) {
        if (isFree) limit.giveBack(key);
        this.#ended(key);
      }
    }
  }

  /** Whether this account's failure is to be written to the audit log: one in five minutes is. */
  isNoteworthy(email: string): boolean {
    return this.#audited.hasTaken(keyOf(normalEmail(email)));
  }

  /** Takes one of each allowance, or none of any. */
  async #reserve(allowances: readonly Allowance[]): Promise<void> {
    for (;;) {
      const lacking = takeAll(allowances);
      if (lacking === undefined) break;
      const running = this.#running.get(lacking.key);
      if (running === undefined) throw rateLimited(lacking.waitMs);
      using room = this.#waiting.take(lacking.key);
      if (room === undefined) {
        throw new ServiceError("overloaded", "Too many sign-ins are under way; try again.");
      }
      await running.changed.promise;
    }
    for (const { key } of allowances) {
      const running = this.#running.get(key);
      if (running !== undefined) running.count += 1;
      else this.#running.set(key, { count: 1, changed: Promise.withResolvers() });
    }
  }

  #ended(key: string): void {
    const running = this.#running.get(key);
    if (running === undefined) throw new Error("BUG: an attempt ended that was not running");
    running.changed.resolve();
    running.count -= 1;
    if (running.count === 0) this.#running.delete(key);
    else running.changed = Promise.withResolvers();
  }

  #remember(pair: string): void {
    this.#known.delete(pair);
    this.#known.add(pair);
    const [oldest] = this.#known;
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest);
  }
}

interface Allowance {
  limit: RateLimit;
  key: string;
}

interface Running {
  count: number;
  /** Resolves when one of the running attempts has ended. */
  changed: PromiseWithResolvers<void>;
}

/**
 * Takes one of each allowance, or none; returns the one that is lacking. Hundreds of waiting
 * attempts ask again whenever one has ended, so that a lack is not yet an error.
 */
function takeAll(allowances: readonly Allowance[]): { key: string; waitMs: number } | undefined {
  for (const [index, { limit, key }] of allowances.entries()) {
    const waitMs = limit.tryToTake(key);
    if (waitMs === 0) continue;
    for (const taken of allowances.slice(0, index)) taken.limit.giveBack(taken.key);
    return { key, waitMs };
  }
  return undefined;
}

/** Returns a short key of any address: a form can send one of 64 KB. */
function keyOf(email: string): string {
  return createHash("sha256").update(email).digest("base64url");
}
