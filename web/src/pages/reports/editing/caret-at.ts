/** The drawn text around a place. */
export interface AroundPlace {
  before: string;
  behind: string;
  /** How far the place is from the beginning of the drawn text: 0 to 1. */
  share: number;
}

/** Characters on each side of a place by which it is found. */
const aroundMax = 24;

/** Where in the source of a text a place in its drawing is; undefined: it is not found. */
export function placeInSource(source: string, around: AroundPlace): number | undefined {
  const before = around.before.slice(-aroundMax);
  const behind = around.behind.slice(0, aroundMax);
  // Signs of Markdown may stand on one side of it.
  for (const [start, end] of [
    [before, behind],
    [before, ""],
    ["", behind],
  ] as const) {
    const words = start + end;
    if (words.trim() === "") continue;
    const places = placesOf(source, words).map((at) => at + start.length);
    if (places.length > 0) return nearest(places, around.share * source.length);
  }
  return undefined;
}

/** The text around a point on the screen within an element; undefined: there is none. */
export function textAround(within: Element, x: number, y: number): AroundPlace | undefined {
  const place = document.caretPositionFromPoint?.(x, y);
  const node = place?.offsetNode;
  if (place == null || node == null || node.nodeType !== Node.TEXT_NODE || !within.contains(node))
    return undefined;
  const { offset } = place;
  const own = node.textContent ?? "";
  const range = document.createRange();
  range.setStart(within, 0);
  range.setEnd(node, offset);
  const whole = within.textContent?.length ?? 0;
  const share = whole === 0 ? 0 : range.toString().length / whole;
  return { before: own.slice(0, offset), behind: own.slice(offset), share };
}

function placesOf(text: string, words: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) places.push(at);
  return places;
}

function nearest(places: readonly number[], wanted: number): number {
  return places.reduce((one, other) =>
    Math.abs(other - wanted) < Math.abs(one - wanted) ? other : one,
  );
}
