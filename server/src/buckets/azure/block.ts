import { randomBytes } from "node:crypto";
import type { StoreUpload } from "../bucket.ts";

/**
 * Azure knows no uploads, only blocks that wait at a blob under names of the sender's choice, all
 * of one length. Ours are `<upload>:<number>`: the upload's id is 12 hexadecimal digits of time and
 * 20 random ones, and block 0 is the marker, one byte from the upload's begin to its end.
 */
export interface NamedBlock {
  storeUpload: string;
  number: number;
}

export const markerNumber = 0;

export function newUploadId(nowMs: number): string {
  return nowMs.toString(16).padStart(12, "0") + randomBytes(10).toString("hex");
}

/** Undefined for an id that newUploadId did not make. */
export function startedMsOf(storeUpload: string): number | undefined {
  return /^[0-9a-f]{32}$/.test(storeUpload) ? parseInt(storeUpload.slice(0, 12), 16) : undefined;
}

/** Returns a block id of 39 characters, so that its base64 has no padding. */
export function blockId({ storeUpload, number }: NamedBlock): string {
  if (startedMsOf(storeUpload) === undefined || !(number >= 0 && number <= numberMax))
    throw new Error(`BUG: got the block ${number} of the upload ${JSON.stringify(storeUpload)}`);
  const name = `${storeUpload}:${String(number).padStart(6, "0")}`;
  return Buffer.from(name, "latin1").toString("base64");
}

/**
 * Returns the parts of a block's name; undefined for a block of another naming: a client that has a
 * part's address may name blocks freely.
 */
export function namedBlock(id: string): NamedBlock | undefined {
  const found = /^([0-9a-f]{32}):(\d{6})$/.exec(Buffer.from(id, "base64").toString("latin1"));
  return found === null ? undefined : { storeUpload: found[1], number: Number(found[2]) };
}

export function requireUploadId({ key, storeUpload }: StoreUpload): void {
  if (startedMsOf(storeUpload) === undefined)
    throw new Error(`BUG: the upload of ${key} got the id ${JSON.stringify(storeUpload)}`);
}

export function blockListXml(ids: readonly string[]): string {
  const items = ids.map((id) => `<Uncommitted>${id}</Uncommitted>`).join("");
  return `<?xml version="1.0" encoding="utf-8"?><BlockList>${items}</BlockList>`;
}

const numberMax = 999_999;
