/**
 * Small scanners over a JSON text in ASCII. Each takes the index where something should start and gives the
 * index after it, or -1 when it is not there. The text ends with `}` or `]`: no scanner passes the last byte
 * except inside a string, so only that one looks at the length.
 */

export const quote = 0x22;

/** Index of the first byte at or after `at` that is no JSON white space. */
export function skipSpace(bytes: Buffer, at: number): number {
  let byte = bytes[at]!;
  while (byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) {
    byte = bytes[++at]!;
  }
  return at;
}

/** The word stands at `at`. */
export function after(bytes: Buffer, at: number, word: Uint8Array): number {
  for (let index = 0; index < word.length; index++) {
    if (bytes[at + index] !== word[index]) return -1;
  }
  return at + word.length;
}

/** The same bytes stand at `at` as in bytes[start … end - 1]. */
export function afterCopy(bytes: Buffer, at: number, start: number, end: number): number {
  if (at + (end - start) > bytes.length) return -1;
  for (let index = start; index < end; index++, at++) {
    if (bytes[at] !== bytes[index]) return -1;
  }
  return at;
}

/** A colon with white space around it; gives the index of the value. */
export function afterColon(bytes: Buffer, at: number): number {
  if (bytes[at] !== colon) {
    at = skipSpace(bytes, at);
    if (bytes[at] !== colon) return -1;
  }
  return skipSpace(bytes, at + 1);
}

/**
 * Index of the quote that closes the string whose first character is at `at`; -1 when a character is not
 * printable ASCII or is escaped, which the fast path leaves to the general one.
 */
export function closingQuote(bytes: Buffer, at: number): number {
  const end = bytes.length;
  while (at < end && plain[bytes[at]!] === 1) at++;
  return bytes[at] === quote ? at : -1;
}

const colon = 0x3a;

const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte <= 0x7e && byte !== quote && byte !== 0x5c ? 1 : 0,
);

/** A word as the scanners compare it. */
export function ascii(word: string): Uint8Array {
  return Uint8Array.from(word, (character) => character.charCodeAt(0));
}
