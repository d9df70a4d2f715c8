import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import { masterKeyId } from "../../ground/sealing.ts";
import { BackupDamaged } from "./backup-damaged.ts";

/**
 * The form of objects in a backup: each in an envelope that proves that the content was written
 * under this name, and, with a key, encrypts it.
 *
 *     without a key   magic "LBak" | version = 1 | 0 | 0 0 | content | SHA-256
 *     with a key      magic "LBak" | version = 1 | 1 | 0 0 | id of the key (8) | salt (16)
 *                     | nonce (12) | content in AES-256-GCM | tag (16)
 *
 * The object's name and all before the content are hashed, or authenticated, with it: an object
 * that is cut, changed, or given the name of another one does not open.
 */
export interface Envelope {
  /** Id of the key, 16 hexadecimal digits; null without a key. */
  readonly keyId: string | null;
  /** Returns a name, equal for equal contents only; with a key it reveals nothing of them. */
  nameOf(content: Uint8Array): string;
  /** Returns the object in two or three consecutive parts. */
  close(name: string, content: Uint8Array): Uint8Array[];
  /** Throws BackupDamaged. */
  open(name: string, object: Uint8Array): Uint8Array;
}

/** Maximal difference between the sizes of an object and of its content. */
export const envelopeBytesMax = 64;

/** Returns the envelope without a key. */
export function plainEnvelope(): Envelope {
  return {
    keyId: null,
    nameOf: (content) => createHash("sha256").update(content).digest("hex"),
    close(name, content) {
      const header = headerOf(0);
      return [header, content, digestOf(name, header, content)];
    },
    open(name, object) {
      const header = checkedHeader(name, object, 0, headerBytes + digestBytes);
      const content = object.subarray(headerBytes, object.length - digestBytes);
      const digest = Buffer.from(object.buffer, object.byteOffset + object.length - digestBytes);
      if (digest.compare(digestOf(name, header, content), 0, digestBytes, 0, digestBytes) !== 0) {
        throw damaged(name);
      }
      return content;
    },
  };
}

/** Takes a key of 32 bytes. Each object has a key of its own, so no nonce is used twice. */
export function sealedEnvelope(key: Uint8Array): Envelope {
  const keyId = masterKeyId(key);
  const nameKey = derive(key, new Uint8Array(), "lossless backup names");
  return {
    keyId,
    nameOf: (content) => createHmac("sha256", nameKey).update(content).digest("hex"),
    close(name, content) {
      const salt = randomBytes(saltBytes);
      const nonce = randomBytes(nonceBytes);
      const header = Buffer.concat([headerOf(1), Buffer.from(keyId, "hex"), salt]);
      const cipher = createCipheriv("aes-256-gcm", objectKey(key, salt), nonce);
      cipher.setAAD(Buffer.concat([header, Buffer.from(name)]));
      const body = cipher.update(content);
      cipher.final();
      return [Buffer.concat([header, nonce]), body, cipher.getAuthTag()];
    },
    open(name, object) {
      checkedHeader(name, object, 1, sealedHeaderBytes + tagBytes);
      const header = object.subarray(0, sealedHeaderBytes - nonceBytes);
      const salt = header.subarray(headerBytes + keyIdBytes);
      const nonce = object.subarray(header.length, sealedHeaderBytes);
      const decipher = createDecipheriv("aes-256-gcm", objectKey(key, salt), nonce, {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.concat([header, Buffer.from(name)]));
      decipher.setAuthTag(object.subarray(object.length - tagBytes));
      try {
        const content = decipher.update(
          object.subarray(sealedHeaderBytes, object.length - tagBytes),
        );
        decipher.final();
        return content;
      } catch {
        throw damaged(name);
      }
    },
  };
}

const magic = Buffer.from("LBak");
const version = 1;
const headerBytes = 8;
const keyIdBytes = 8;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const digestBytes = 32;
const sealedHeaderBytes = headerBytes + keyIdBytes + saltBytes + nonceBytes;

function headerOf(isSealed: 0 | 1): Buffer {
  return Buffer.concat([magic, Buffer.of(version, isSealed, 0, 0)]);
}

function checkedHeader(
  name: string,
  object: Uint8Array,
  wanted: 0 | 1,
  bytesMin: number,
): Uint8Array {
  const header = object.subarray(0, headerBytes);
  if (object.length < bytesMin || magic.compare(header, 0, magic.length) !== 0) throw damaged(name);
  const [found, isSealed] = header.subarray(magic.length);
  if (found !== version || isSealed !== wanted) throw damaged(name);
  return header;
}

function digestOf(name: string, header: Uint8Array, content: Uint8Array): Buffer {
  return createHash("sha256").update(name).update(header).update(content).digest();
}

function objectKey(key: Uint8Array, salt: Uint8Array): Uint8Array {
  return derive(key, salt, "lossless backup object");
}

function derive(key: Uint8Array, salt: Uint8Array, info: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, salt, info, 32));
}

function damaged(name: string): BackupDamaged {
  return new BackupDamaged(`The object ${name} of the backup is damaged.`, name);
}
