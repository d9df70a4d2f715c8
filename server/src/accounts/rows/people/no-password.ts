import { randomBytes } from "node:crypto";

/** Nobody's salt: 16 zero bytes, by which such a hash is known. */
const noSalt = "A".repeat(22);

/**
 * What is stored for somebody without a password: a hash of nothing, since nobody made it from
 * anything. It is compared with as any other, so that a wrong password takes as long.
 */
export function noPassword(): string {
  const hash = randomBytes(32).toString("base64").replace(/=+$/, "");
  return `$argon2id$v=19$m=19456,t=2,p=1$${noSalt}$${hash}`;
}

/** SQL: whether the person's `password` is one. */
export const hasPassword = `password NOT LIKE '%$${noSalt}$%'`;
