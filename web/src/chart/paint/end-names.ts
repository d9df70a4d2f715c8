import { toldApart } from "../../parts/told-apart.ts";

/** The end of a line, in CSS pixels from the top. */
export interface LineEnd {
  line: number;
  top: number;
}

/** Height of a name, in CSS pixels. */
export const nameHeight = 14;

/**
 * Places names: the raised line's first, then in the order of lines. Names stay within the plot
 * and do not overlap: each moves by at most its height, or is left out.
 */
export function namedEnds(
  ends: readonly LineEnd[],
  height: number,
  raised: number | undefined,
): LineEnd[] {
  const placed: LineEnd[] = [];
  const isIn = (top: number) => top >= 0 && top <= height;
  const isFree = (top: number) =>
    isIn(top) && placed.every((other) => Math.abs(other.top - top) >= nameHeight);
  const first = ends.filter(({ line }) => line === raised);
  for (const end of [...first, ...ends.filter(({ line }) => line !== raised)]) {
    if (!isIn(end.top)) continue;
    const away = (top: number) => Math.abs(top - end.top);
    const beside = placed.flatMap(({ top }) => [top - nameHeight, top + nameHeight]);
    const [top] = [end.top, ...beside]
      .filter((each) => away(each) <= nameHeight && isFree(each))
      .toSorted((one, other) => away(one) - away(other));
    if (top !== undefined) placed.push({ line: end.line, top });
  }
  return placed;
}

/** Names without the words that all have in common; whole names where that tells nothing. */
export function distinctParts(names: readonly string[]): string[] {
  const parts = toldApart(names);
  const short = names.map((name) => {
    const own = parts.get(name) ?? [];
    const told = own.filter(({ role }) => role !== "common").map(({ text }) => text);
    const text = told.join("");
    return own.at(-1)?.role === "common" ? text.replace(/[/_\s=-]+$/u, "") : text;
  });
  const isTold = !short.includes("") && new Set(short).size === new Set(names).size;
  return isTold ? short : [...names];
}

/** Shortens a text to fit the room by its middle: names of a sweep differ at their ends. */
export function fitted(text: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= room) return text;
  const letters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  for (let kept = letters.length - 1; kept > 1; kept--) {
    const start = Math.floor(kept / 3);
    const shorter = `${letters.slice(0, start).join("")}…${letters.slice(start - kept).join("")}`;
    if (widthOf(shorter) <= room) return shorter;
  }
  return "";
}
