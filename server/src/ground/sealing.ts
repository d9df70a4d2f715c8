import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

export const sealVersion = 1;
const keyIdBytes = 8;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes + saltBytes + nonceBytes;

/** The seal does not open: made under another master key, for another row, or altered. */
export class SealBroken extends Error {
  override name = "SealBroken";
}

/**
 * Secrets at rest: AES-256-GCM under a key of its own for each secret, derived from the master key
 * and a random salt, so that no two secrets share a key and nonces cannot collide. A sealed secret
 * is
 *
 *     version (1) | id of the master key (8) | salt (16) | nonce (12) | ciphertext | tag (16)
 *
 * The context (whose secret it is) and everything before the nonce are associated data: a secret
 * that is copied to another row does not open there (T63).
 */
export class Sealing {
  readonly keyId: string;
  readonly #masterKey: Uint8Array;
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  /** `previous` opens secrets sealed before the master key changed; nothing is sealed under it. */
  constructor(masterKey: Uint8Array, previous?: Uint8Array) {
    this.#masterKey = masterKey;
    this.keyId = masterKeyId(masterKey);
    const keys = previous === undefined ? [masterKey] : [previous, masterKey];
    this.#keys = new Map(keys.map((key) => [masterKeyId(key), key]));
  }

  seal(text: string, context: string): Uint8Array {
    const salt = randomBytes(saltBytes);
    const nonce = randomBytes(nonceBytes);
    const start = Buffer.concat([Buffer.of(sealVersion), Buffer.from(this.keyId, "hex"), salt]);
    const cipher = createCipheriv("aes-256-gcm", secretKey(this.#masterKey, salt), nonce);
    cipher.setAAD(Buffer.concat([start, Buffer.from(context, "utf8")]));
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return new Uint8Array(Buffer.concat([start, nonce, body, cipher.getAuthTag()]));
  }

  /** Throws SealBroken. */
  open(sealed: Uint8Array, context: string): string {
    const keyId = sealedKeyId(sealed);
    const masterKey = this.#keys.get(keyId);
    if (masterKey === undefined) {
      throw new SealBroken(`A secret is sealed under the master key ${keyId}, not ${this.keyId}.`);
    }
    const start = sealed.subarray(0, 1 + keyIdBytes + saltBytes);
    const nonce = sealed.subarray(start.length, headerBytes);
    const key = secretKey(masterKey, start.subarray(1 + keyIdBytes));
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.concat([start, Buffer.from(context, "utf8")]));
    decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
    try {
      const body = decipher.update(sealed.subarray(headerBytes, sealed.length - tagBytes));
      return Buffer.concat([body, decipher.final()]).toString("utf8");
    } catch {
      throw new SealBroken("A sealed secret was altered, or belongs to something else.");
    }
  }

  /** Derives 32 bytes for one purpose, constant for this master key: `label` is the purpose. */
  deriveKey(label: string): Uint8Array {
    return derive(this.#masterKey, new Uint8Array(), `lossless ${label}`);
  }
}

/**
 * Returns the id of the master key under which a secret is sealed, 16 hexadecimal digits. Throws
 * SealBroken.
 */
export function sealedKeyId(sealed: Uint8Array): string {
  if (sealed[0] !== sealVersion || sealed.length < headerBytes + tagBytes) {
    throw new SealBroken("A sealed secret has a form that this version does not know.");
  }
  return Buffer.from(sealed.subarray(1, 1 + keyIdBytes)).toString("hex");
}

/** Tells master keys apart, and tells nothing about them: 16 hexadecimal digits. */
export function masterKeyId(masterKey: Uint8Array): string {
  return createHash("sha256")
    .update(masterKey)
    .digest("hex")
    .slice(0, 2 * keyIdBytes);
}

function secretKey(masterKey: Uint8Array, salt: Uint8Array): Uint8Array {
  return derive(masterKey, salt, "lossless sealed secret");
}

function derive(masterKey: Uint8Array, salt: Uint8Array, info: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", masterKey, salt, info, 32));
}
