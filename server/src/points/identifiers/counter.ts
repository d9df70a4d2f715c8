/**
 * Counter identifiers: `<prefix>-<counter>`, where the counter is a canonical decimal (no sign, no
 * leading zero) of at most 2^53 - 1 and the prefix is not empty. Our own clients make them, because
 * a dense run of counters is stored as one interval. The form is a bijection: prefix and counter
 * give back the identifier, so two identifiers are equal exactly when both are.
 *
 * Parsing starts at the end, so that other identifiers are told apart after a character or a few: a
 * UUID fails at its first hexadecimal letter (about one in 300 ends in twelve digits and is a
 * counter identifier, too).
 */

/**
 * Index of the counter's first digit (the prefix ends one before, at the hyphen), or -1 for any
 * other identifier.
 */
export function counterStart(id: string): number {
  const end = id.length;
  let at = end;
  while (at > 0 && isDigit(id.charCodeAt(at - 1)) && end - at <= digitsMax) at--;
  if (at < 2 || id.charCodeAt(at - 1) !== hyphen) return -1;
  if (!isCanonical(end - at, id.charCodeAt(at))) return -1;
  return end - at === digitsMax && counterValue(id, at) > Number.MAX_SAFE_INTEGER ? -1 : at;
}

/** The counter of an identifier for which counterStart() gave `start`. */
export function counterValue(id: string, start: number): number {
  let value = 0;
  for (let i = start; i < id.length; i++) value = value * 10 + (id.charCodeAt(i) - digit0);
  return value;
}

/**
 * Returns counterStart() for an identifier in ASCII at bytes[start … end - 1]: an index into
 * `bytes`, or -1.
 */
export function counterStartAscii(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && isDigit(bytes[at - 1]) && end - at <= digitsMax) at--;
  if (at < start + 2 || bytes[at - 1] !== hyphen) return -1;
  if (!isCanonical(end - at, bytes[at])) return -1;
  return end - at === digitsMax && counterValueAscii(bytes, at, end) > Number.MAX_SAFE_INTEGER
    ? -1
    : at;
}

/**
 * Returns the counter with the digits at bytes[start … end - 1], where counterStartAscii() returned
 * `start`.
 */
export function counterValueAscii(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) value = value * 10 + (bytes[i] - digit0);
  return value;
}

/** The high 21 and the low 32 bits of a counter, as the identifier column holds them. */
export function counterHigh(counter: number): number {
  return Math.floor(counter / 0x1_0000_0000);
}

export function counterLow(counter: number): number {
  return counter >>> 0;
}

export function counterOf(high: number, low: number): number {
  return high * 0x1_0000_0000 + low;
}

/**
 * 2^53 - 1 has 16 digits. Sixteen digits are compared as a double: it is exact up to 2^53 and
 * larger beyond.
 */
const digitsMax = 16;
const digit0 = 0x30;
const hyphen = 0x2d;

const isDigit = (unit: number): boolean => unit >= digit0 && unit <= digit0 + 9;

const isCanonical = (digits: number, first: number): boolean =>
  digits >= 1 && digits <= digitsMax && (first !== digit0 || digits === 1);
