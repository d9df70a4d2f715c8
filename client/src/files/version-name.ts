import { LosslessError } from "../errors.ts";

/** Enough for a million steps a second over eleven days; the width must never change. */
const digits = 12;

/**
 * Returns the name of the version after `latest`: the next number, zero-padded, because versions
 * are ordered by name and `10` sorts before `9`.
 */
export function nextVersion(latest: string | undefined): string {
  if (latest === undefined) return "1".padStart(digits, "0");
  if (!/^\d+$/.test(latest)) {
    throw new LosslessError(
      `the latest version is ${latest}, which is not a number; name the new one`,
    );
  }
  const next = (BigInt(latest) + 1n).toString().padStart(latest.length, "0");
  if (next.length === latest.length) return next;
  throw new LosslessError(
    `the latest version is ${latest}, and ${next} would come before it; name the new one`,
  );
}

/** Returns the name of the version with this number; undefined for a text that is no number. */
export function numberedVersion(text: string): string | undefined {
  return /^\d+$/.test(text) ? text.padStart(digits, "0") : undefined;
}
