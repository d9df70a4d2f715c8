/**
 * Stored bytes that are not what was written: a checksum, a length or a magic number is wrong.
 * Never answered with a value.
 */
export class CorruptData extends Error {
  override name = "CorruptData";
}
