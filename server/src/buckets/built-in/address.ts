import { createHmac, timingSafeEqual } from "node:crypto";
import type { ObjectToRead, OpenPart } from "../bucket.ts";

/** The fields of a signed address, as text: not trusted before the signature is checked. */
export interface SignedPartAddress extends Omit<SignedObjectAddress, "name"> {
  /** The store's id of the upload. */
  id: string;
  part: string;
  length: string;
}

export interface SignedObjectAddress {
  /** `<organization>/<upload>/<file>` */
  key: string;
  /** Unix milliseconds. */
  expires: string;
  /** Name under which a browser saves the object; empty: none is sent. */
  name: string;
  signature: string;
}

/**
 * Signs addresses of the built-in location: HMAC-SHA256 over the method, the service's own address,
 * the object's key, and for a part also its upload, number and exact length, and the expiry.
 * Nothing is stored: any node with the same key can check an address of another node.
 */
export class ObjectSigner {
  readonly #key: Uint8Array;
  readonly #baseUrl: () => string;
  readonly #clock: () => number;

  constructor(key: Uint8Array, baseUrl: () => string, clock: () => number) {
    this.#key = key;
    this.#baseUrl = baseUrl;
    this.#clock = clock;
  }

  signPart({ key, storeUpload, number, sizeBytes }: OpenPart, expiresAtMs: number): string {
    if (sizeBytes === undefined) throw new Error(`BUG: the size of part ${number} got undefined`);
    const id = storeUpload;
    const fields = [key, id, `${number}`, `${sizeBytes}`, `${expiresAtMs}`];
    const signature = this.#sign("PUT", fields);
    return `${this.#baseUrl()}/objects/${key}?id=${id}&part=${number}&length=${sizeBytes}&expires=${expiresAtMs}&signature=${signature}`;
  }

  signRead({ key, fileName = "" }: ObjectToRead, expiresAtMs: number): string {
    const name = named(fileName);
    const signature = this.#sign("GET", [key, `${expiresAtMs}`, ...name]);
    const query = `expires=${expiresAtMs}${name.map((one) => `&name=${one}`).join("")}`;
    return `${this.#baseUrl()}/objects/${key}?${query}&signature=${signature}`;
  }

  /** The part that the address allows to write now; undefined if not ours, altered or expired. */
  checkPart({ key, id, part, length, expires, signature }: SignedPartAddress) {
    if (!this.#isValid("PUT", [key, id, part, length, expires], expires, signature))
      return undefined;
    return { key, storeUpload: id, number: Number(part), sizeBytes: Number(length) };
  }

  /** Whether the address allows to read its object now. */
  checkRead({ key, expires, name, signature }: SignedObjectAddress): boolean {
    return this.#isValid("GET", [key, expires, ...named(name)], expires, signature);
  }

  #isValid(method: string, fields: string[], expires: string, signature: string): boolean {
    // A newline inside a field could make two lists of fields one text.
    if (fields.some((field) => field.includes("\n"))) return false;
    const expected = Buffer.from(this.#sign(method, fields));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return Number(expires) > this.#clock();
  }

  #sign(method: string, fields: readonly string[]): string {
    const text = [method, this.#baseUrl(), ...fields].join("\n");
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }
}

/** Percent-encodes a name as it is signed: it may have any character. */
function named(fileName: string): string[] {
  return fileName === "" ? [] : [encodeURIComponent(fileName.toWellFormed())];
}
