import { withoutShared } from "./shared-words.ts";

type Measure = (text: string) => number;

/** Parts of the letters that are left ahead of a cut, where one in the middle does not tell all. */
const shares = [2 / 3, 1 / 3, 5 / 6, 1 / 6, 1, 0];

/**
 * Names that fit a room, by name. A name is whole where it fits. Else "…" stands for the words that
 * all of the names have, and where that is not enough, for letters: different names stay different
 * texts, if the room allows it. Where not even a letter has room the text is empty.
 */
export function shortNames(
  names: Iterable<string>,
  room: number,
  widthOf: Measure,
): ReadonlyMap<string, string> {
  const texts = new Map([...names].map((name) => [name, name]));
  const areWide = (each: readonly string[]) =>
    each.filter((name) => widthOf(texts.get(name)!) > room);
  const wide = areWide([...texts.keys()]);
  if (wide.length === 0) return texts;
  const unshared = withoutShared([...texts.keys()], widthOf);
  for (const name of wide) texts.set(name, unshared.get(name)!);
  const cut = areWide(wide);
  const fit = (text: string, share: number) => fitted(text, room, widthOf, share);
  for (const name of cut) texts.set(name, fit(unshared.get(name)!, 1 / 2));
  tellApart(cut, texts, unshared, fit);
  return texts;
}

/** Shortens a text to fit the room by its middle: a share of the letters stays before it. */
export function fitted(text: string, room: number, widthOf: Measure, share = 1 / 3): string {
  if (widthOf(text) <= room) return text;
  const letters = lettersOf(text);
  const cut = (kept: number) => {
    const start = Math.floor(kept * share);
    const end = letters.length - kept + start;
    return withOneSign(`${letters.slice(0, start).join("")}…${letters.slice(end).join("")}`);
  };
  let [least, most] = [1, letters.length - 1];
  while (least < most) {
    const kept = Math.ceil((least + most) / 2);
    if (widthOf(cut(kept)) <= room) least = kept;
    else most = kept - 1;
  }
  const shorter = cut(least);
  return widthOf(shorter) <= room ? shorter : "";
}

function withOneSign(text: string): string {
  return text.replace(/…+/gu, "…");
}

function lettersOf(text: string): string[] {
  if (/^[\p{ASCII}…]*$/u.test(text)) return Array.from(text);
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** Cuts names in another place, the same for all, if that tells more; then those still the same. */
function tellApart(
  names: readonly string[],
  texts: Map<string, string>,
  unshared: ReadonlyMap<string, string>,
  fit: (text: string, share: number) => string,
): void {
  const group = new Set(names);
  const taken = new Set([...texts].flatMap(([name, text]) => (group.has(name) ? [] : [text])));
  const isFree = (text: string) => text !== "" && !taken.has(text);
  const toldBy = (way: readonly string[]) => new Set(way.filter(isFree)).size;
  const own = names.map((name) => unshared.get(name)!);
  let best = names.map((name) => texts.get(name)!);
  for (const share of [...shares, undefined]) {
    if (toldBy(best) === names.length) break;
    const way = share === undefined ? fromDifference(own) : own;
    const next = way.map((text) => fit(text, share ?? 1));
    if (toldBy(next) > toldBy(best)) best = next;
  }
  for (const [at, name] of names.entries()) if (isFree(best[at])) texts.set(name, best[at]);
  for (const same of Map.groupBy(names, (name) => texts.get(name)!).values())
    if (same.length > 1 && same.length < names.length) tellApart(same, texts, unshared, fit);
}

/** Texts from the first letter on in which they differ. */
function fromDifference(texts: readonly string[]): string[] {
  const letters = texts.map(lettersOf);
  const at = letters[0].findIndex((letter, place) => letters.some((one) => one[place] !== letter));
  const start = at < 0 ? letters[0].length : at;
  return letters.map((each, line) =>
    start > 0 ? withOneSign(`…${each.slice(start).join("")}`) : texts[line],
  );
}
