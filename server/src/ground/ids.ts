import { randomBytes } from "node:crypto";

/** Crockford's base 32 in lower case: in the order of the numbers, no letter looks like a digit. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const timeDigits = 10;
const randomDigits = 16;

/**
 * Returns a new id: 48 bits of time and 80 random bits, 26 characters that sort by time (M33). For
 * clients it is an opaque string; nothing relies on its being unguessable.
 */
export function newId(nowMs: number): string {
  return (
    firstIdAt(nowMs) + Array.from(randomBytes(randomDigits), (byte) => digits[byte & 31]).join("")
  );
}

/**
 * Returns a bound that sorts before every id of this time and later, and after every earlier one.
 */
export function firstIdAt(nowMs: number): string {
  let time = "";
  for (let rest = nowMs, position = 0; position < timeDigits; position++) {
    time = digits[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return time;
}
