/** The look of a line: one of ten colours in one of three patterns, thirty in all. */
export interface Kind {
  colour: number;
  pattern: number;
}

export const colourCount = 10;
/** Patterns: solid; alternating in long runs of columns; alternating in short ones. */
export const patternCount = 3;
const kindCount = colourCount * patternCount;

/** Colours that people chose for experiments, 1 to 10, by the identities of their lines. */
export type ChosenColours = ReadonlyMap<string, number>;

/**
 * Assigns kinds by a hash of each line's identity, so that most lines keep theirs on every chart.
 * On a collision, the later in the order of names takes the next free kind. Beyond thirty lines
 * kinds repeat. A chosen colour is given first, to several in patterns.
 */
export function kindsOf(
  names: readonly string[],
  chosen: ChosenColours = new Map(),
): Map<string, Kind> {
  const kinds = new Map<string, Kind>();
  const taken = new Set<number>();
  const sorted = [...new Set(names)].sort();
  for (const name of sorted) {
    const colour = (chosen.get(name) ?? 0) - 1;
    if (colour < 0) continue;
    const patterns = Array.from({ length: patternCount }, (_, pattern) => pattern);
    const pattern = patterns.find((each) => !taken.has(colour + colourCount * each)) ?? 0;
    taken.add(colour + colourCount * pattern);
    kinds.set(name, { colour, pattern });
  }
  for (const name of sorted) {
    if (kinds.has(name)) continue;
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

/** Colours in the order in which the first few are as far from each other as they can be. */
const apart = [2, 4, 6, 9, 1, 3, 8, 0, 5, 7];
/** Groups of these numbers have the first so many of those colours. */
const sizes = [4, 7, colourCount];

/**
 * Assigns kinds to a few groups, so that they are far apart: by a hash of each name among the
 * colours for so many. More groups than colours have kinds as lines do.
 */
export function kindsApart(names: readonly string[]): Map<string, Kind> {
  const sorted = [...new Set(names)].sort();
  const size = sizes.find((each) => sorted.length <= each);
  if (size === undefined) return kindsOf(names);
  const taken = new Set<number>();
  return new Map(
    sorted.map((name) => {
      let place = hash(name) % size;
      while (taken.has(place)) place = (place + 1) % size;
      taken.add(place);
      return [name, { colour: apart[place], pattern: 0 }];
    }),
  );
}

/** The colour that somebody chose for an experiment, in its meta. */
export function chosenColour(meta: Readonly<Record<string, unknown>>): number | undefined {
  const { _colour: colour } = meta;
  const isOne = typeof colour === "number" && Number.isInteger(colour);
  return isOne && colour >= 1 && colour <= colourCount ? colour : undefined;
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
