import { isUtf8 } from "node:buffer";
import { member as memberPath } from "@lossless/protocol/meta-limits";
import { ServiceError } from "./errors.ts";

/** JSON as parsed: `__proto__` may be an own key: read it with Object.entries, never merge it. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | { [member: string]: JsonValue };

export interface JsonLimits {
  /** Open brackets at any byte of the document. */
  depth: number;
}

/**
 * A `meta` of 64 KiB holds fewer members than this, so no valid request is refused by it; objects
 * beyond cost V8 a hash table of the attacker's size.
 */
const membersPerObject = 16_384;
/**
 * Maximum of an array, that of the elements of such a `meta`. Sixteen million numbers would keep
 * the parser and everything after it busy for a second.
 */
const elementsPerArray = 65_536;
/**
 * Maximum of elements and members of a document. A thousand points with all their metas have
 * 42,000, and 5,000 files with 10,000 parts fewer; sixteen million of `[]` would take gigabytes.
 */
const valuesPerDocument = 1_000_000;
/**
 * Maximum of characters of a number. The shortest exact form of a double has at most 24; a thousand
 * digits are never needed.
 */
const charactersPerNumber = 1_000;
/** Naming a repeated member takes a second, slower pass; larger bodies are refused without it. */
const namingBytes = 1 << 20;

/**
 * Reads one JSON document as the specification requires (decision M3, M6; T25 to T30): fatal UTF-8
 * and no byte order mark, bounded depth, no repeated member in one object, finite numbers,
 * well-formed strings without NUL. Throws `malformed_json` for a text that is not JSON, repeats a
 * name or is nested too deeply, `validation_failed` for values outside these limits.
 *
 * One linear scan over the bytes runs before the parser, so that hostile input never reaches it.
 */
export function parseStrictJson(bytes: Uint8Array, limits: JsonLimits): JsonValue {
  if (bytes.length === 0) throw malformed("The body is empty; it must be one JSON document.");
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw malformed("The body starts with a byte order mark; JSON text has none.");
  }
  if (!isUtf8(bytes)) throw malformed("The body is not valid UTF-8.");
  const scan = scanDocument(bytes, limits.depth);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  const value = parse(text);
  const members = countMembers(value, scan.hasUnicodeEscape);
  if (members === -1) throw refusal(value) ?? new Error("BUG: a refused value has no place");
  if (members !== scan.members) throw repeatedMember(text, bytes.length);
  return value;
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw malformed(`The body is not one valid JSON document: ${positionOf(String(error), text)}.`);
  }
}

/** V8's message quotes the document; only its position and words no secret is made of pass. */
function positionOf(message: string, text: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `see character ${position}`;
  if (/Unexpected end/.test(message)) return "it ends too early";
  const { word, at } = firstOddWord(text) ?? { word: "", at: -1 };
  if (at === -1) return "a comma, a sign or a bracket is out of place";
  if (/^(?:NaN|Infinity)$/.test(word)) return `${word} at character ${at} is not a JSON number`;
  const isOfOthers = /^(?:True|False|None|undefined)$/.test(word);
  return isOfOthers ? `${word} at character ${at} is not a JSON value` : `see character ${at}`;
}

/**
 * Finds a word that other languages print outside strings: NaN, Infinity, True, None. Looks at each
 * character once.
 */
function firstOddWord(text: string): { word: string; at: number } | undefined {
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) === quote) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== quote; at += 1)
        if (text.charCodeAt(at) === backslash) at += 1;
    } else if (isLetter(text.charCodeAt(at))) {
      let end = at + 1;
      while (end < text.length && isLetter(text.charCodeAt(end))) end += 1;
      const word = text.slice(at, Math.min(end, at + 20));
      if (!/^(?:true|false|null|[eE])$/.test(word)) return { word, at };
      at = end - 1;
    }
  }
  return undefined;
}

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

interface Scan {
  /** Members of all objects: the colons outside strings. */
  members: number;
  hasUnicodeEscape: boolean;
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Counts members and depth, which the parser would hide. Syntax is left to the parser, which runs
 * right after.
 */
function scanDocument(bytes: Uint8Array, depthMax: number): Scan {
  const membersAt = new Uint32Array(depthMax + 1);
  const commasAt = new Uint32Array(depthMax + 1);
  let depth = 0;
  let members = 0;
  // Every value but the first follows a comma or is the first of its object or array.
  let values = 0;
  let hasUnicodeEscape = false;
  let numberStart = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      numberStart = -1;
      for (at += 1; at < bytes.length && bytes[at] !== quote; at += 1) {
        if (bytes[at] !== backslash) continue;
        at += 1;
        if (bytes[at] === 0x75) hasUnicodeEscape = true;
      }
    } else if (byte >= 0x2b && byte <= 0x39 && byte !== 0x2c) {
      // Digits, signs and the point (and the slash, which the parser refuses).
      if (numberStart === -1) numberStart = at;
      else if (at - numberStart === charactersPerNumber) {
        throw invalid(`A number at byte ${numberStart} has more than 1,000 characters.`);
      }
    } else if (byte === 0x5b || byte === 0x7b) {
      if (depth === depthMax) {
        throw malformed(`The body is nested deeper than ${depthMax} levels, at byte ${at}.`);
      }
      depth += 1;
      if (++values > valuesPerDocument) throw tooMany(at);
      membersAt[depth] = 0;
      commasAt[depth] = 0;
    } else if (byte === 0x5d || byte === 0x7d) {
      if (depth > 0) depth -= 1;
    } else {
      numberStart = -1;
      if (byte === 0x2c) {
        commasAt[depth] += 1;
        if (++values > valuesPerDocument) throw tooMany(at);
        if (commasAt[depth] < elementsPerArray) continue;
        throw invalid(`An array has more than 65,536 elements, at byte ${at}.`);
      }
      if (byte !== 0x3a) continue;
      members += 1;
      membersAt[depth] += 1;
      if (membersAt[depth] > membersPerObject) {
        throw invalid(`An object has more than 16,384 members, at byte ${at}.`);
      }
    }
  }
  return { members, hasUnicodeEscape };
}

/** The members of every object below `value`, or -1 when a number or a string is not allowed. */
function countMembers(value: JsonValue, mayHoldBadStrings: boolean): number {
  if (typeof value !== "object" || value === null) {
    return isAllowed(value, mayHoldBadStrings) ? 0 : -1;
  }
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) {
      const below = countMembers(element, mayHoldBadStrings);
      if (below === -1) return -1;
      members += below;
    }
    return members;
  }
  for (const key of Object.keys(value)) {
    const below = countMembers(value[key], mayHoldBadStrings);
    if (below === -1 || !isAllowed(key, mayHoldBadStrings)) return -1;
    members += below + 1;
  }
  return members;
}

/**
 * Whether a value is allowed. Only escapes can write a bad string: the bytes are UTF-8 and the
 * parser refuses raw controls.
 */
function isAllowed(value: null | boolean | number | string, mayHoldBadStrings: boolean): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "string" || !mayHoldBadStrings) return true;
  return value.isWellFormed() && !value.includes("\0");
}

/** Finds the value that countMembers refused, now with its place. */
function refusal(value: JsonValue): ServiceError | undefined {
  const found = firstRefused(value);
  if (found === undefined) return undefined;
  const path = found.keys.reduceRight<string>(
    (below, key) => (typeof key === "number" ? `${below}[${key}]` : memberPath(below, key)),
    "",
  );
  const shown = path === "" ? "the body" : path;
  const sentences = {
    number: `${shown} is a number too large for a double.`,
    text: `${shown} contains a lone surrogate or a NUL character.`,
    name: `A member name in ${shown} contains a lone surrogate or a NUL character.`,
  };
  return invalid(sentences[found.what]);
}

interface Refused {
  what: "number" | "text" | "name";
  /** Keys from the innermost out: the text of a place is made only for the refused value. */
  keys: (string | number)[];
}

function firstRefused(value: JsonValue): Refused | undefined {
  if (typeof value !== "object" || value === null) {
    if (isAllowed(value, true)) return undefined;
    return { what: typeof value === "number" ? "number" : "text", keys: [] };
  }
  const isArray = Array.isArray(value);
  for (const key of isArray ? value.keys() : Object.keys(value)) {
    if (typeof key === "string" && !isAllowed(key, true)) return { what: "name", keys: [] };
    const found = firstRefused((value as Record<string | number, JsonValue>)[key]);
    found?.keys.push(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function repeatedMember(text: string, sizeBytes: number): ServiceError {
  const name = sizeBytes <= namingBytes ? findRepeatedMember(text) : undefined;
  return malformed(
    name === undefined
      ? "The body has an object with the same member name twice."
      : `The body has an object with the member name ${JSON.stringify(name.slice(0, 40))} twice.`,
  );
}

/**
 * Finds a repeated member. The document is known to parse, so only strings, brackets and names
 * before a colon matter.
 */
function findRepeatedMember(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  const token = /"(?:[^"\\]|\\.)*"(?=([ \t\r\n]*:)?)|[[\]{}]/gs;
  for (const match of text.matchAll(token)) {
    const word = match[0];
    if (word === "{") open.push(new Set());
    else if (word === "[") open.push(undefined);
    else if (word === "}" || word === "]") open.pop();
    else if (match[1] !== undefined) {
      const name = JSON.parse(word) as string;
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}

function tooMany(at: number): ServiceError {
  return invalid(
    `The body has more than 1,000,000 members and elements, at byte ${at}; send it in several requests.`,
  );
}

function malformed(sentence: string): ServiceError {
  return new ServiceError("malformed_json", sentence);
}

function invalid(sentence: string): ServiceError {
  return new ServiceError("validation_failed", sentence);
}
