/**
 * Thrown when stored bytes are damaged: a checksum, a length or a magic number is wrong. No value
 * is ever returned for them.
 */
export class CorruptData extends Error {
  override name = "CorruptData";
}
