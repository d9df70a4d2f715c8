import { createHash } from "node:crypto";

export interface SummedPoint {
  step: bigint;
  timestampMs: bigint;
  value: number;
}

/** The sums of a series in a report; numbers beyond JSON are texts. */
export interface PlainSums {
  count: number;
  first: PlainPoint | null;
  last: PlainPoint | null;
  sum: number | string;
  digest: string;
}

interface PlainPoint {
  step: string;
  timestampMs: string;
  value: number | string;
}

const modulus = 1n << 128n;
/** The smallest double is 2^-1074: in units of it every double is an integer. */
const scale = 1074n;

/**
 * Sums of a series by which a source and the store are compared, as in `_importing/series_sums.py`
 * of the Python package: none depends on the order of points.
 */
export class SeriesSums {
  count = 0;
  #first: SummedPoint | undefined;
  #last: SummedPoint | undefined;
  #sum = 0n;
  /** The sum of the values that are not finite. */
  #specials = 0;
  #digest = 0n;
  readonly #bytes = Buffer.alloc(24);

  add(point: SummedPoint): void {
    const value = point.value === 0 ? 0 : point.value;
    const own = { ...point, value };
    this.count++;
    this.#bytes.writeBigInt64BE(point.step, 0);
    this.#bytes.writeBigInt64BE(point.timestampMs, 8);
    this.#bytes.writeDoubleBE(value, 16);
    const digest = createHash("sha256").update(this.#bytes).digest();
    const half = (digest.readBigUInt64BE(0) << 64n) | digest.readBigUInt64BE(8);
    this.#digest = (this.#digest + half) % modulus;
    if (Number.isFinite(value)) this.#sum += unitsOf(value);
    else this.#specials += value;
    if (this.#first === undefined || order(own, this.#first) < 0) this.#first = own;
    if (this.#last === undefined || order(own, this.#last) > 0) this.#last = own;
  }

  plain(): PlainSums {
    return {
      count: this.count,
      first: plainPoint(this.#first),
      last: plainPoint(this.#last),
      sum: plainNumber(this.#specials === 0 ? numberOf(this.#sum) : this.#specials),
      digest: this.#digest.toString(16).padStart(32, "0"),
    };
  }
}

function order(left: SummedPoint, right: SummedPoint): number {
  if (left.step !== right.step) return left.step < right.step ? -1 : 1;
  if (left.timestampMs !== right.timestampMs) return left.timestampMs < right.timestampMs ? -1 : 1;
  // NaN comes before all numbers.
  const [one, other] = [left, right].map(({ value }) =>
    Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value,
  );
  return one === other ? 0 : one < other ? -1 : 1;
}

const doubles = new DataView(new ArrayBuffer(8));

/** A double in units of 2^-1074. */
function unitsOf(value: number): bigint {
  doubles.setFloat64(0, value);
  const bits = doubles.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xfffffffffffffn;
  const units = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -units : units;
}

/** The nearest double, to the even one of two. */
function numberOf(units: bigint): number {
  const size = units < 0n ? -units : units;
  const digits = BigInt(size.toString(2).length);
  const sign = units < 0n ? -1 : 1;
  if (digits <= 53n) return sign * Number(size) * 2 ** -537 * 2 ** -537;
  const shift = digits - 53n;
  const rest = size & ((1n << shift) - 1n);
  const half = 1n << (shift - 1n);
  let top = size >> shift;
  if (rest > half || (rest === half && (top & 1n) === 1n)) top++;
  const power = Number(shift - scale);
  const whole = Number(top);
  return power > 971 ? sign * Infinity : sign * whole * 2 ** power;
}

function plainPoint(point: SummedPoint | undefined): PlainPoint | null {
  if (point === undefined) return null;
  const { step, timestampMs, value } = point;
  return {
    step: String(step),
    timestampMs: String(timestampMs),
    value: plainNumber(value),
  };
}

function plainNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
