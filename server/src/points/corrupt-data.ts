/**
 * Stored bytes that are not what was written: a checksum, a length or a magic number is wrong.
 * Never answered with a value.
 */
export class CorruptData extends Error {
  override name = "CorruptData";
}

/** Stored bytes of a format version that a newer release wrote. */
export class NewerFormat extends Error {
  override name = "NewerFormat";
}
