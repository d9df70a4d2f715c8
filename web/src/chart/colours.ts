/** A line's kind: one of ten colours in one of three patterns, so that thirty can be told apart. */
export interface Kind {
  colour: number;
  pattern: number;
}

export const colourCount = 10;
/** Whole; alternating in long runs of columns; alternating in short ones. */
export const patternCount = 3;
const kindCount = colourCount * patternCount;

/**
 * The kinds of lines that stand together, by the hash of what identifies each: most keep theirs
 * wherever they stand. Of two that meet, the later one in the order of names moves to the next that
 * is free. Beyond thirty they repeat.
 */
export function kindsOf(names: readonly string[]): Map<string, Kind> {
  const kinds = new Map<string, Kind>();
  const taken = new Set<number>();
  for (const name of [...new Set(names)].sort()) {
    if (taken.size === kindCount) taken.clear();
    // Colours first: the eye tells them apart sooner than patterns.
    const wanted = hash(name) % colourCount;
    let number = wanted;
    for (let tries = 0; taken.has(number); tries++) {
      const round = Math.floor(tries / colourCount);
      number = ((wanted + tries) % colourCount) + colourCount * round;
    }
    taken.add(number);
    kinds.set(name, { colour: number % colourCount, pattern: Math.floor(number / colourCount) });
  }
  return kinds;
}

/** What the theme has for it where an element has this style. */
export function colourIn(style: CSSStyleDeclaration, { colour }: Kind): string {
  return style.getPropertyValue(`--line-${colour}`).trim();
}

/** FNV-1a, whose low bits are mixed once more: names differ in their last character. */
function hash(text: string): number {
  let found = 0x811c9dc5;
  for (let at = 0; at < text.length; at++)
    found = Math.imul(found ^ text.charCodeAt(at), 0x01000193);
  found ^= found >>> 15;
  return Math.imul(found, 0x2c1b3c6d) >>> 0;
}
