import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * Organization API key, experiment token, app session, OAuth access and refresh token, device code,
 * authorization code, one-time link (invitation, first start, new password), personal token, token
 * of an identity provider (SCIM), guest link.
 */
export const secretPrefixes = [
  "ak_",
  "ik_",
  "as_",
  "at_",
  "rt_",
  "dc_",
  "co_",
  "in_",
  "pt_",
  "sc_",
  "gl_",
] as const;
export type SecretPrefix = (typeof secretPrefixes)[number];

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomCharacters = 32; // 190 bits
const checkCharacters = 6; // 62^6 is more than 2^32
/** Keys that operators make themselves (provision file): at least 40 characters with the prefix. */
const ownKeyPattern = /^ak_[A-Za-z0-9_-]{37,997}$/;

/**
 * A secret is shown once; stored is only its hash. The last six characters are a checksum, so that
 * a mistyped one is refused without a look into the database.
 */
export function newSecret(prefix: SecretPrefix): string {
  let text: string = prefix;
  while (text.length < prefix.length + randomCharacters) {
    // 248 is the largest multiple of 62 in a byte: larger ones too would favour some characters.
    for (const byte of randomBytes(2 * randomCharacters)) {
      if (byte < 248 && text.length < prefix.length + randomCharacters) text += alphabet[byte % 62];
    }
  }
  return text + checksum(text);
}

/**
 * Returns the hash that is stored and looked up: SHA-256 needs no salt, the secrets are long and
 * random.
 */
export function hashSecret(secret: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(secret, "utf8").digest());
}

/** Whether it can be a secret of this kind that the service made. */
export function isSecretOf(text: string, prefix: SecretPrefix): boolean {
  const length = prefix.length + randomCharacters;
  if (!text.startsWith(prefix) || text.length !== length + checkCharacters) return false;
  return text.slice(length) === checksum(text.slice(0, length));
}

/**
 * Matches possible secrets in a text, with the prefix as a group. The service's secrets have 38
 * characters behind the prefix; of keys that people type, a few are enough.
 */
export const secretsInText = new RegExp(
  `\\b((?:ak|ik)_(?=[\\w-]{6})|(?:${secretPrefixes.join("|")})(?=[\\w-]{20}))[\\w-]+`,
  "g",
);

/** Whether it can be an API key: one that the service made, or one from a provision file. */
export function isApiKey(text: string): boolean {
  return isSecretOf(text, "ak_") || isOwnApiKey(text);
}

/**
 * Whether an operator may bring it along in a provision file: `ak_`, and at least 40 characters of
 * A-Z a-z 0-9 _ - in all.
 */
export function isOwnApiKey(text: string): boolean {
  return ownKeyPattern.test(text);
}

function checksum(text: string): string {
  let check = "";
  for (let rest = crc32(text); check.length < checkCharacters; rest = Math.floor(rest / 62)) {
    check = alphabet[rest % 62] + check;
  }
  return check;
}
