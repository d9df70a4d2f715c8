const lastCodePoint = 0x10ffff;

/**
 * The least text that is above every text with this prefix, in the order of UTF-8 bytes, which is
 * that of code points; undefined when every text above the prefix has it. Both databases compare
 * so, and neither has to escape anything as LIKE would.
 */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === lastCodePoint) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates are no characters: U+E000 follows U+D7FF.
  points.push(last === 0xd7ff ? 0xe000 : last + 1);
  return points.map((point) => String.fromCodePoint(point)).join("");
}
