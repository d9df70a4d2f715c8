import { randomInt } from "node:crypto";

/** RFC 8628 6.1: no vowels, so that no code is a word, and no letter that looks like a digit. */
const alphabet = "BCDFGHJKLMNPQRSTVWXZ";
const letters = 8; // 20^8 codes; deviceCodeTriesMax guesses a person
const form = new RegExp(`^[${alphabet}]{${letters}}$`);

/** Returns eight letters in the form shown to people: `BCDF-GHJK`. */
export function newUserCode(): string {
  const text = Array.from({ length: letters }, () => alphabet[randomInt(alphabet.length)]).join("");
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/**
 * Returns a typed code in the form that is stored: case, spaces and dashes do not count. Undefined
 * for text that cannot be a code.
 */
export function normalUserCode(typed: string): string | undefined {
  const text = typed.replaceAll(/[\s\p{Pd}_.]/gu, "").toUpperCase();
  return form.test(text) ? `${text.slice(0, 4)}-${text.slice(4)}` : undefined;
}
