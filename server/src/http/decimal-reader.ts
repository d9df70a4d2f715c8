/**
 * Reads JSON numbers from ASCII bytes, bit for bit as JSON.parse does, without making strings.
 *
 * Decimals of up to 15 digits are one exact operation on two exact doubles (Clinger). Up to 19 digits, as
 * languages print a double, are divided in twice the precision; the quotient is taken when all of its error
 * interval rounds to the same double, else, and for rarer forms, the text goes to the engine's own parser.
 */
export class DecimalReader {
  /** The number that read() read last; never -0. */
  value = 0;

  /** Reads the number that starts at `start`; gives the index after it, or -1 when none is there. */
  read(bytes: Buffer, start: number): number {
    let at = start;
    const isNegative = bytes[at] === minus;
    if (isNegative) at++;
    // The significant digits: the first 15 in `high`, the others in `low`.
    let high = 0;
    let low = 0;
    let digits = 0;
    const whole = at;
    let digit = bytes[at]! - digit0;
    while (digit >= 0 && digit <= 9) {
      if (digits < 15) high = high * 10 + digit;
      else low = low * 10 + digit;
      if (high !== 0) digits++;
      digit = bytes[++at]! - digit0;
    }
    if (at === whole || (bytes[whole] === digit0 && at > whole + 1)) return -1;
    let exponent = 0;
    if (digit === point) {
      const fraction = at + 1;
      digit = bytes[++at]! - digit0;
      while (digit >= 0 && digit <= 9) {
        if (digits < 15) high = high * 10 + digit;
        else low = low * 10 + digit;
        if (high !== 0) digits++;
        digit = bytes[++at]! - digit0;
      }
      if (at === fraction) return -1;
      exponent = fraction - at;
    }
    if (digit === smallE || digit === capitalE) {
      const end = this.exponent(bytes, at + 1);
      if (end === -1) return -1;
      at = end;
      exponent += this.value;
    }
    if (at - start > charactersMax) return -1;
    let value = decimal(high, low, digits, exponent);
    if (Number.isNaN(value)) value = Math.abs(Number(bytes.toString("latin1", start, at)));
    // Adding 0 turns -0 into 0 (M7).
    this.value = (isNegative ? -value : value) + 0;
    return at;
  }

  /** Reads what follows the letter e into `value`; huge exponents are cut, decimal() gives them up anyway. */
  private exponent(bytes: Buffer, start: number): number {
    let at = start;
    const isNegative = bytes[at] === minus;
    if (isNegative || bytes[at] === plus) at++;
    const first = at;
    let value = 0;
    let digit = bytes[at]! - digit0;
    while (digit >= 0 && digit <= 9) {
      if (value < 10_000) value = value * 10 + digit;
      digit = bytes[++at]! - digit0;
    }
    this.value = isNegative ? -value : value;
    return at === first ? -1 : at;
  }
}

const digit0 = 0x30;
const minus = 0x2d;
const plus = 0x2b;
/** These three after subtraction of digit0. */
const point = 0x2e - digit0;
const smallE = 0x65 - digit0;
const capitalE = 0x45 - digit0;
/** Longer numbers are left to the general path, which has a limit of its own. */
const charactersMax = 100;

/** The powers of ten that are exact doubles. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** (high * 10^(digits - 15) + low) * 10^exponent, correctly rounded; NaN when that is not certain. */
function decimal(high: number, low: number, digits: number, exponent: number): number {
  if (digits <= 15) {
    if (high === 0 || exponent === 0) return high;
    if (exponent < 0 && exponent >= -22) return high / powers[-exponent]!;
    return exponent > 0 && exponent <= 22 ? high * powers[exponent]! : NaN;
  }
  if (digits > 19 || exponent > 0 || exponent < -22) return NaN;
  // The integer as a sum of two doubles, exactly: it is below 2^64, so the second one is a small integer.
  const scale = powers[digits - 15]!;
  const product = high * scale;
  const small = productError(high, scale, product) + low;
  const first = product + small;
  const second = small - (first - product);
  if (exponent === 0) return first;
  // Its quotient: the remainder of a rounded division is a double, so only the last two lines round.
  const divisor = powers[-exponent]!;
  const quotient = first / divisor;
  const back = quotient * divisor;
  const remainder = first - back - productError(quotient, divisor, back);
  const correction = (remainder + second) / divisor;
  // The correction is off by less than 2^-51 of itself; this interval is wider.
  const error = Math.abs(correction) * 2 ** -50;
  const rounded = quotient + (correction + error);
  return rounded === quotient + (correction - error) ? rounded : NaN;
}

/** left * right - product, exactly, where product is the rounded one (Dekker, with Veltkamp's splitting). */
function productError(left: number, right: number, product: number): number {
  const leftShifted = left * 134_217_729;
  const leftHigh = leftShifted - (leftShifted - left);
  const leftLow = left - leftHigh;
  const rightShifted = right * 134_217_729;
  const rightHigh = rightShifted - (rightShifted - right);
  const rightLow = right - rightHigh;
  return leftLow * rightLow - (product - leftHigh * rightHigh - leftLow * rightHigh - leftHigh * rightLow);
}
