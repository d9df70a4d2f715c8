import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { FairShares } from "./fair-shares.ts";
import { Slots } from "./slots.ts";

/** Cost of new hashes: 19 MiB and two passes, the least OWASP advises for argon2id. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const hashBytes = 32;
/**
 * Maximum of concurrent hashes. Each takes a thread of the pool that also reads files, and memory
 * of its own.
 */
const runningMax = 2;
/** Maximum of waiting hashes; at some 40 ms each the wait stays below a second. */
const waitingMax = 50;

const derive = promisify(argon2);
const stringForm =
  /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/**
 * Slow hashes of passwords. The stored text carries its own cost, so that `cost` can change and
 * stored hashes stay valid. Runs in the thread pool of the thread that calls it: never in the
 * writer.
 */
export class Passwords {
  readonly #slots = new Slots(new FairShares(runningMax, runningMax), {
    shares: new FairShares(waitingMax),
    fullMessage: "Too many people sign in at once",
  });

  /**
   * Hashes a password. `holder` identifies its person: hashes of one holder take turns with
   * others'.
   */
  async hash(password: string, holder = ""): Promise<string> {
    const salt = randomBytes(saltBytes);
    const hash = await this.#derive(password, salt, hashBytes, cost, holder);
    const { memory, passes, parallelism } = cost;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
  }

  /**
   * Compares a password. Without a stored one it takes as long and returns false, so that no caller
   * learns which people exist.
   */
  async matches(password: string, stored: string | undefined, holder = ""): Promise<boolean> {
    if (stored === undefined) {
      await this.#derive(password, randomBytes(saltBytes), hashBytes, cost, holder);
      return false;
    }
    const match = stringForm.exec(stored);
    if (match === null) throw new Error(`BUG: a password hash has ${stored.length} characters`);
    const [memory, passes, parallelism] = match.slice(1, 4).map(Number);
    const [salt, expected] = match.slice(4).map((text) => Buffer.from(text, "base64"));
    const used = { memory, passes, parallelism };
    const hash = await this.#derive(password, salt, expected.length, used, holder);
    return timingSafeEqual(hash, expected);
  }

  async #derive(
    password: string,
    nonce: Buffer,
    tagLength: number,
    { memory, passes, parallelism }: typeof cost,
    holder: string,
  ): Promise<Buffer> {
    // One password typed on two keyboards may arrive in two forms of Unicode.
    const message = password.normalize("NFC");
    const options = { message, nonce, tagLength, memory, passes, parallelism };
    return this.#slots.in(holder, () => derive("argon2id", options));
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
