/**
 * Reads JSON numbers from ASCII bytes, bit for bit as JSON.parse does, without making strings.
 *
 * Decimals of up to 15 digits are one exact operation on two exact doubles (Clinger). Up to 18
 * digits, more than any double needs, are divided in twice the precision; the quotient is taken
 * when all of its error interval rounds to the same double, else, and for rarer forms, the text
 * goes to the engine's own parser.
 */
export class DecimalReader {
  /** The number that read() read last; never -0. */
  value = 0;
  // The significant digits so far: nine at most in each half, so that both are small integers.
  #high = 0;
  #low = 0;
  #digits = 0;

  /**
   * Reads the number that starts at `start`; returns the index after it, or -1 if there is none.
   */
  read(bytes: Buffer, start: number): number {
    const isNegative = bytes[start] === minus;
    const whole = isNegative ? start + 1 : start;
    this.#high = 0;
    this.#low = 0;
    this.#digits = 0;
    let at = this.#digitsFrom(bytes, whole);
    if (at === whole || (bytes[whole] === digit0 && at > whole + 1)) return -1;
    let exponent = 0;
    if (bytes[at] === point) {
      const fraction = at + 1;
      at = this.#digitsFrom(bytes, fraction);
      if (at === fraction) return -1;
      exponent = fraction - at;
    }
    if (bytes[at] === smallE || bytes[at] === capitalE) {
      const end = this.#exponent(bytes, at + 1);
      if (end === -1) return -1;
      at = end;
      exponent += this.value;
    }
    if (at - start > charactersMax) return -1;
    let value = decimal(this.#high, this.#low, this.#digits, exponent);
    if (Number.isNaN(value)) value = Math.abs(Number(bytes.toString("latin1", start, at)));
    // Adding 0 turns -0 into 0 (M7).
    this.value = (isNegative ? -value : value) + 0;
    return at;
  }

  /** Adds the digits that stand at `at`; past eighteen they are only counted. */
  #digitsFrom(bytes: Buffer, at: number): number {
    let high = this.#high;
    let low = this.#low;
    let digits = this.#digits;
    let digit = bytes[at] - digit0;
    while (digit >= 0 && digit <= 9) {
      if (digits < 9) high = (Math.imul(high, 10) + digit) | 0;
      else if (digits < 18) low = (Math.imul(low, 10) + digit) | 0;
      if (high !== 0) digits++;
      digit = bytes[++at] - digit0;
    }
    this.#high = high;
    this.#low = low;
    this.#digits = digits;
    return at;
  }

  /**
   * Reads the digits after the letter e into `value`; huge ones are cut, and decimal() rejects
   * them.
   */
  #exponent(bytes: Buffer, start: number): number {
    let at = start;
    const isNegative = bytes[at] === minus;
    if (isNegative || bytes[at] === plus) at++;
    const first = at;
    let value = 0;
    let digit = bytes[at] - digit0;
    while (digit >= 0 && digit <= 9) {
      if (value < 10_000) value = value * 10 + digit;
      digit = bytes[++at] - digit0;
    }
    this.value = isNegative ? -value : value;
    return at === first ? -1 : at;
  }
}

const digit0 = 0x30;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const smallE = 0x65;
const capitalE = 0x45;
/** Longer numbers are left to the general path, which has a limit of its own. */
const charactersMax = 100;

/** The powers of ten that are exact doubles. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** The digits of high, then low, times 10^exponent, correctly rounded; NaN when uncertain. */
function decimal(high: number, low: number, digits: number, exponent: number): number {
  if (digits <= 15) {
    const integer = digits <= 9 ? high : high * powers[digits - 9] + low;
    if (integer === 0 || exponent === 0) return integer;
    if (exponent < 0 && exponent >= -22) return integer / powers[-exponent];
    return exponent > 0 && exponent <= 22 ? integer * powers[exponent] : NaN;
  }
  if (digits > 18 || exponent > 0 || exponent < -22) return NaN;
  // The integer as a sum of two doubles, exactly: below 2^60 the second one is a small integer.
  const scale = powers[digits - 9];
  const product = high * scale;
  const small = productError(high, scale, product) + low;
  const first = product + small;
  const second = small - (first - product);
  if (exponent === 0) return first;
  // The remainder of a rounded division is a double, so only the correction and the last sum round.
  const divisor = powers[-exponent];
  const quotient = first / divisor;
  const back = quotient * divisor;
  const remainder = first - back - productError(quotient, divisor, back);
  const correction = (remainder + second) / divisor;
  // The correction is off by less than 2^-51 of itself; this interval is wider.
  const error = Math.abs(correction) * 2 ** -50;
  const rounded = quotient + (correction + error);
  return rounded === quotient + (correction - error) ? rounded : NaN;
}

/** left * right - product, exactly, product being rounded (Dekker, with Veltkamp's splitting). */
function productError(left: number, right: number, product: number): number {
  const leftShifted = left * 134_217_729;
  const leftHigh = leftShifted - (leftShifted - left);
  const leftLow = left - leftHigh;
  const rightShifted = right * 134_217_729;
  const rightHigh = rightShifted - (rightShifted - right);
  const rightLow = right - rightHigh;
  const error = product - leftHigh * rightHigh - leftLow * rightHigh - leftHigh * rightLow;
  return leftLow * rightLow - error;
}
