/**
 * Whether cases that are very many are all tried, as `npm run test:long` does. Other runs try those
 * of them that differ most, so that they take minutes.
 */
export const isEveryCase = process.env.LOSSLESS_TEST_EVERY_CASE === "1";

/** Those of all cases that are tried now. */
export function tried<Case>(all: readonly Case[], isDaily: (one: Case) => boolean): Case[] {
  return isEveryCase ? [...all] : all.filter(isDaily);
}
