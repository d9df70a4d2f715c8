import { ServiceError } from "../errors.ts";
import { normalEmail } from "../people/person.ts";
import { RateLimit } from "./rate-limit.ts";

const intervalMs = 5 * 60_000;
const perAccount = 10;
const perAddress = 30;

/**
 * Bounds how often passwords and links can be guessed, in this process: wrong ones for an account, whether it
 * exists or not, and wrong ones from an address.
 */
export class Guesses {
  readonly #accounts: RateLimit;
  readonly #addresses: RateLimit;
  readonly #audited: RateLimit;

  constructor(clock?: () => number) {
    this.#accounts = new RateLimit(perAccount, intervalMs, clock);
    this.#addresses = new RateLimit(perAddress, intervalMs, clock);
    this.#audited = new RateLimit(1, intervalMs, clock);
  }

  /**
   * Runs one attempt. It is taken from both allowances before, so that many at once are counted too, and
   * given back unless it ends with `unauthorized`. Throws `rate_limited` when there is none left.
   */
  async attempt<T>(email: string, address: string, run: () => Promise<T>): Promise<T> {
    const account = normalEmail(email);
    this.#addresses.take(address);
    try {
      this.#accounts.take(account);
    } catch (error) {
      this.#addresses.giveBack(address);
      throw error;
    }
    let isWrong = false;
    try {
      return await run();
    } catch (error) {
      isWrong = error instanceof ServiceError && error.code === "unauthorized";
      throw error;
    } finally {
      if (!isWrong) {
        this.#accounts.giveBack(account);
        this.#addresses.giveBack(address);
      }
    }
  }

  /** Whether a failure of this account is to be written to the audit log: one in five minutes is. */
  isNoteworthy(email: string): boolean {
    return this.#audited.hasTaken(normalEmail(email));
  }
}
