import { checkKey } from "../s3/key.ts";

/**
 * Checks a key. Names of blobs are put into addresses and signed texts unchanged: nothing in them
 * is ever encoded, so nothing can be read in two ways.
 */
export function checkAzureKey(key: string): void {
  checkKey(key);
  if (!/^[a-z0-9._/-]+$/.test(key)) throw new Error(`BUG: got the blob ${JSON.stringify(key)}`);
}
