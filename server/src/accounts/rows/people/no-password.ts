import { randomBytes } from "node:crypto";

/** Salt that no password has: 16 zero bytes, by which such a hash is recognized. */
const noSalt = "A".repeat(22);

/**
 * Returns the stored value for a person without a password: a hash made from no password. It is
 * compared as any other, so that a wrong password takes as long.
 */
export function noPassword(): string {
  const hash = randomBytes(32).toString("base64").replace(/=+$/, "");
  return `$argon2id$v=19$m=19456,t=2,p=1$${noSalt}$${hash}`;
}

/** SQL condition: the person has a password. */
export const hasPassword = `password NOT LIKE '%$${noSalt}$%'`;
