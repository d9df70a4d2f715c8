/**
 * Checks a key. Keys of artifacts may contain any name of users' files, but no segment that a
 * client or a proxy on the way would take for a relative path. The service refuses such names
 * before.
 */
export function checkKey(key: string): void {
  const isSound =
    key.isWellFormed() &&
    !/\p{Cc}|(^|\/)\.{0,2}(\/|$)/u.test(key) &&
    Buffer.byteLength(key) <= keyBytesMax;
  if (!isSound) throw new Error(`BUG: got the object key ${JSON.stringify(key)}`);
}

/** The limit of S3. */
const keyBytesMax = 1_024;
