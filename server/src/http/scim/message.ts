import { limits } from "@lossless/protocol/limits";
import { ServiceError } from "../../ground/errors.ts";

/**
 * Returns a member of a JSON object by its name: names of attributes ignore case (RFC 7643 2.1).
 */
export function member(object: object, name: string): unknown {
  const wanted = name.toLowerCase();
  for (const [key, value] of Object.entries(object))
    if (key.toLowerCase() === wanted) return value as unknown;
  return undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns a text, or null for one that is missing, null or empty: providers send all three for
 * none.
 */
export function textOrNull(name: string, value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string") throw invalidValue(`${name} must be a text.`);
  // Columns of text hold no U+0000.
  if (value.includes("\0")) throw invalidValue(`${name} has a character that no text may have.`);
  if (value.length > limits.signOnTextCharactersMax)
    throw invalidValue(`${name} has more than ${limits.signOnTextCharactersMax} characters.`);
  return value;
}

export function requiredText(name: string, value: unknown): string {
  const text = textOrNull(name, value);
  if (text === null || text.trim() === "") throw invalidValue(`${name} is missing.`);
  return text;
}

/**
 * Returns a boolean; Entra sends the texts "True" and "False" unless it is configured otherwise.
 */
export function flag(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (word === "true" || word === "false") return word === "true";
  throw invalidValue(`${name} must be true or false.`);
}

export function invalidValue(sentence: string): ServiceError {
  return scimError("invalidValue", sentence);
}

/** Returns an error with a keyword of RFC 7644, table 9. */
export function scimError(scimType: string, sentence: string): ServiceError {
  return new ServiceError("bad_request", sentence, { scimType });
}
