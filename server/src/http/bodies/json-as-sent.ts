const quote = 0x22;
const backslash = 0x5c;

/**
 * Returns the text of one top-level member of a JSON object as it was sent, without the white space
 * between its tokens: numbers keep their digits, strings their escapes. Reading and writing it
 * again as JavaScript values would alter 64-bit integers, -0 and 1.0. For documents that
 * parseStrictJson accepted; undefined: there is no such member.
 */
export function memberAsSent(bytes: Uint8Array, name: string): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === quote) {
      const end = stringEnd(text, at);
      const colon = skipSpace(text, end);
      if (depth === 1 && text[colon] === 0x3a && isText(text.subarray(at, end), name)) {
        return compactValue(text, skipSpace(text, colon + 1)).value;
      }
      at = end - 1;
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return undefined;
}

/** Returns the same of each element of an array. */
export function elementsAsSent(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const elements: string[] = [];
  let end = skipSpace(text, 0);
  while (end < text.length && text[end] !== 0x5d) {
    const element = compactValue(text, skipSpace(text, end + 1));
    elements.push(element.value);
    end = element.end;
  }
  return elements;
}

function isText(string: Buffer, name: string): boolean {
  if (string.length < name.length + 2 || string.length > 6 * name.length + 2) return false;
  return JSON.parse(string.toString()) === name;
}

/** Returns the value that begins at `start`, up to the comma or bracket that ends it. */
function compactValue(text: Buffer, start: number): { value: string; end: number } {
  const runs: Buffer[] = [];
  let depth = 0;
  let runStart = start;
  let at = start;
  while (at < text.length) {
    const byte = text[at];
    if (byte === quote) {
      at = stringEnd(text, at);
      continue;
    }
    if (isSpace(byte)) {
      if (at > runStart) runs.push(text.subarray(runStart, at));
      runStart = at + 1;
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) break;
      depth--;
    } else if (byte === 0x2c && depth === 0) break;
    at++;
  }
  runs.push(text.subarray(runStart, at));
  return { value: Buffer.concat(runs).toString(), end: at };
}

/** Returns the position behind the closing quote. */
function stringEnd(text: Buffer, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at + 1;
}

function skipSpace(text: Buffer, start: number): number {
  let at = start;
  while (isSpace(text[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
