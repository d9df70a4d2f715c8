import { ObjectShort } from "./bucket.ts";

/** Maximum of one read, below a reply's limit; longer reads are split. */
export const rangeBytesMax = 8 * 1024 * 1024;

/** Reads of a store, which has no empty range and a limit to one. */
export async function readByRanges(
  key: string,
  offset: number,
  length: number,
  store: {
    size: () => Promise<number>;
    readRange: (offset: number, length: number) => Promise<Uint8Array>;
  },
): Promise<Uint8Array> {
  if (length === 0 && offset > (await store.size())) throw new ObjectShort(key, offset, length);
  if (length > 0 && length <= rangeBytesMax) return store.readRange(offset, length);
  const whole = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; done += rangeBytesMax) {
    const step = Math.min(rangeBytesMax, length - done);
    whole.set(await store.readRange(offset + done, step), done);
  }
  return whole;
}
