/** The look of a line: one of ten colours in one of three patterns, thirty in all. */
export interface Kind {
  colour: number;
  pattern: number;
}

export const colourCount = 10;
/** Patterns: solid; alternating in long runs of columns; alternating in short ones. */
export const patternCount = 3;
const kindCount = colourCount * patternCount;

/**
 * Assigns kinds by a hash of each line's identity, so that most lines keep theirs on every chart.
 * On a collision, the later in the order of names takes the next free kind. Beyond thirty lines
 * kinds repeat.
 */
export function kindsOf(names: readonly string[]): Map<string, Kind> {
  const kinds = new Map<string, Kind>();
  const taken = new Set<number>();
  for (const name of [...new Set(names)].sort()) {
    if (taken.size === kindCount) taken.clear();
    // Colours first: they are easier to tell apart than patterns.
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

/** The theme's colour for a kind, for elements with this style. */
export function colourIn(style: CSSStyleDeclaration, { colour }: Kind): string {
  return style.getPropertyValue(`--line-${colour}`).trim();
}

/** FNV-1a, whose low bits are mixed once more: names often differ in their last character. */
function hash(text: string): number {
  let found = 0x811c9dc5;
  for (let at = 0; at < text.length; at++)
    found = Math.imul(found ^ text.charCodeAt(at), 0x01000193);
  found ^= found >>> 15;
  return Math.imul(found, 0x2c1b3c6d) >>> 0;
}
