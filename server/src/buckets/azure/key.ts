import { checkKey } from "../s3/key.ts";

/**
 * Names of blobs go into addresses, and into what is signed, as they are: nothing in them is ever
 * encoded, and so nothing can be read in two ways.
 */
export function checkAzureKey(key: string): void {
  checkKey(key);
  if (!/^[a-z0-9._/-]+$/.test(key)) throw new Error(`BUG: got the blob ${JSON.stringify(key)}`);
}
