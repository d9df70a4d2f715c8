/** The end of a line, in CSS pixels from the top. */
export interface LineEnd {
  line: number;
  top: number;
}

/** The place of a name, which a connector joins to the end of its line. */
export interface NamedEnd extends LineEnd {
  end: number;
}

/** Height of a name, in CSS pixels. */
export const nameHeight = 14;
/** Lines that are all named, if the plot is high enough. */
const linesMax = 8;
/** How far a name may stand from the end of its line, among more lines. */
const awayMax = 3 * nameHeight;
/** The weight of a raised line's end: its name stays where it is, and others give way. */
const raisedWeight = 1e6;

/**
 * Places names: the raised line's first, then in the order of lines. They stay within the plot, do
 * not overlap and have the order of the values; among these places, they are as near to the ends of
 * their lines as possible. A name that would push another too far away is left out.
 */
export function namedEnds(
  ends: readonly LineEnd[],
  height: number,
  raised: number | undefined,
): NamedEnd[] {
  const inside = ends.filter(({ top }) => top >= 0 && top <= height);
  const first = inside.filter(({ line }) => line === raised);
  const away = inside.length <= linesMax ? height : awayMax;
  let placed: NamedEnd[] = [];
  for (const end of [...first, ...inside.filter(({ line }) => line !== raised)]) {
    // One more has no room anywhere.
    if (placed.length * nameHeight > height) break;
    const chosen = [...placed.map((each) => ({ line: each.line, top: each.end })), end];
    const next = spread(chosen, height, raised);
    if (next.every((each) => Math.abs(each.top - each.end) <= away)) placed = next;
  }
  return placed;
}

/** Neighbours that touch: where the first would stand, were each as high as nothing. */
interface Pool {
  top: number;
  weight: number;
  names: number;
}

/** Places of all names, from the top, with the least squares of distances to their ends. */
function spread(ends: LineEnd[], height: number, raised: number | undefined): NamedEnd[] {
  const sorted = ends.toSorted((one, other) => one.top - other.top || one.line - other.line);
  const pools: Pool[] = [];
  for (const [at, { line, top }] of sorted.entries()) {
    let pool = { top: top - at * nameHeight, weight: line === raised ? raisedWeight : 1, names: 1 };
    while (pools.length > 0 && pools.at(-1)!.top > pool.top) pool = joined(pools.pop()!, pool);
    pools.push(pool);
  }
  const lowest = height - (sorted.length - 1) * nameHeight;
  const tops = pools.flatMap(({ top, names }) => Array<number>(names).fill(top));
  return sorted.map(({ line, top: end }, at) => {
    const top = Math.max(0, Math.min(lowest, tops[at])) + at * nameHeight;
    return { line, top, end };
  });
}

function joined(one: Pool, other: Pool): Pool {
  const weight = one.weight + other.weight;
  const top = (one.top * one.weight + other.top * other.weight) / weight;
  return { top, weight, names: one.names + other.names };
}
