import { randomInt } from "node:crypto";

/** RFC 8628 6.1: no vowels, so that no code is a word, and nothing that looks like a digit. */
const alphabet = "BCDFGHJKLMNPQRSTVWXZ";
const letters = 8; // 20^8 codes; deviceCodeTriesMax guesses a person
const form = new RegExp(`^[${alphabet}]{${letters}}$`);

/** Eight letters, as people are shown them: `BCDF-GHJK`. */
export function newUserCode(): string {
  const text = Array.from({ length: letters }, () => alphabet[randomInt(alphabet.length)]).join("");
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/**
 * What was typed, in the one form that is stored: case, spaces and dashes do not count. Undefined
 * for what no code can be.
 */
export function normalUserCode(typed: string): string | undefined {
  const text = typed.replaceAll(/[\s\p{Pd}_.]/gu, "").toUpperCase();
  return form.test(text) ? `${text.slice(0, 4)}-${text.slice(4)}` : undefined;
}
