import type { ConsoleLine } from "@lossless/client";

/** A stretch of a line with one look. */
export interface Piece {
  text: string;
  /** Parameters of the terminal's colours; empty: none. */
  style: string;
  isHit: boolean;
}

/** Marked places in a line at most: more of them nobody looks at one by one. */
const hitsMax = 200;

/** Cuts the first characters of a line at the ends of its spans and hits. */
export function piecesOf(
  { text, spans = [] }: Pick<ConsoleLine, "text" | "spans">,
  hits: readonly (readonly [start: number, end: number])[],
  length = text.length,
): Piece[] {
  const end = Math.min(length, text.length);
  const ends = [...spans.flatMap(({ start, end: last }) => [start, last]), ...hits.flat()];
  const cuts = new Set([0, end, ...ends.filter((at) => at < end)]);
  const places = [...cuts].sort((one, other) => one - other);
  return places.slice(1).map((to, at) => {
    const from = places[at];
    // The last of spans that overlap counts, as it would in a terminal.
    const span = spans.findLast((one) => one.start <= from && one.end >= to);
    const isHit = hits.some(([first, last]) => first <= from && last >= to);
    return { text: text.slice(from, to), style: span?.style ?? "", isHit };
  });
}

/** The places of an expression's matches, which has the flag `g`. Empty ones are not shown. */
export function hitsIn(text: string, expression: RegExp): [start: number, end: number][] {
  const found: [number, number][] = [];
  for (const match of text.matchAll(expression)) {
    if (match[0] !== "") found.push([match.index, match.index + match[0].length]);
    if (found.length === hitsMax) break;
  }
  return found;
}
