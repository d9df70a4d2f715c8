/** The polynomial of zlib's CRC-32, bits reflected: the coefficient of x^0 is the highest bit. */
const polynomial = 0xedb88320;
const one = 0x80000000;
const xToTheEighth = 0x00800000;

/**
 * Returns the CRC-32 of two concatenated texts, from the CRC of each and the length of the second.
 * So the parts of a file, sent in any order, give the CRC of the whole file.
 */
export function joinedCrc32(first: number, second: number, secondBytes: number): number {
  return (product(powerOfX8(secondBytes), first) ^ second) >>> 0;
}

/** x^(8 * exponent) modulo the polynomial, by squaring. The exponent may be above 2^32. */
function powerOfX8(exponent: number): number {
  let power = one;
  let square = xToTheEighth;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = product(square, power);
    square = product(square, square);
  }
  return power;
}

/** Product of two polynomials over GF(2), modulo the polynomial. */
function product(left: number, right: number): number {
  let sum = 0;
  let shifted = right;
  for (let bit = 31; bit >= 0; bit--) {
    if (((left >>> bit) & 1) === 1) sum ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return sum;
}
