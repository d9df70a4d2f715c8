import { type NameScheme, schemesOf } from "./name-schemes.ts";

type Measure = (text: string) => number;

/** A piece of a name as it is shown; shared ones are words that nearly all names have. */
export interface NamePiece {
  text: string;
  isShared: boolean;
}

/** The part of a scheme's names that decides what all of them leave out. */
const decidingPart = 0.9;

/** The part of its width that a name has at least, where letters are cut in place of words. */
const nearlyAll = 0.9;

/** Letters at the ends of a name that is cut within: shares of those before the cut. */
const starts = [1 / 3, 1 / 2, 2 / 3, 0, 1];

/**
 * Names that fit a room, by name: whole ones if nearly all of a scheme fit, else without the words
 * that tell least, an ellipsis in their place, and at last without letters. Different names are
 * different texts where the room allows it.
 */
export function shortNames(
  names: readonly string[],
  room: number,
  widthOf: Measure,
): ReadonlyMap<string, string> {
  return new Map(
    [...shortPieces(schemesOf(names), room, widthOf)].map(([name, pieces]) => [
      name,
      textOf(pieces),
    ]),
  );
}

/** Likewise, in pieces, of the schemes of the names. */
export function shortPieces(
  schemes: readonly NameScheme[],
  room: number,
  widthOf: Measure,
): ReadonlyMap<string, readonly NamePiece[]> {
  const shown = schemes.map((scheme) =>
    (scheme.words.size === 1 ? ofOne : inColumns)(scheme, room, widthOf),
  );
  const all = new Map(shown.flatMap(({ pieces }) => [...pieces]));
  const loose = new Set(shown.flatMap((one) => [...one.loose]));
  tellApart(all, loose, room, widthOf);
  return all;
}

/**
 * Names that fit a room, by name: whole ones if all fit, else without the words that all have in
 * common; undefined: they have to be cut.
 */
export function wholeNames(
  names: readonly string[],
  room: number,
  widthOf: Measure,
): ReadonlyMap<string, string> | undefined {
  const all = [...new Set(names)];
  const texts = [all, distinctParts(all)].find((each) =>
    each.every((text) => widthOf(text) <= room),
  );
  return texts && new Map(all.map((name, at) => [name, texts[at]]));
}

/**
 * Names in the order of lines, for the little room beside these: without the words that they have
 * in common, which nothing stands for, and then short.
 */
export function shortParts(names: readonly string[], room: number, widthOf: Measure): string[] {
  const parts = distinctParts(names);
  const short = shortNames(parts, room, widthOf);
  return parts.map((part) => short.get(part)!);
}

/** Names without the words that nearly all have; whole names where that tells nothing. */
export function distinctParts(names: readonly string[]): string[] {
  const short = new Map<string, string>();
  for (const { words, shared } of schemesOf(names))
    for (const [name, list] of words) short.set(name, withoutShared(list, shared));
  const isTold = ![...short.values()].includes("") && new Set(short.values()).size === short.size;
  return isTold ? names.map((name) => short.get(name)!) : [...names];
}

function withoutShared(words: readonly string[], shared: ReadonlySet<number>): string {
  const text = words.filter((_, at) => !shared.has(at)).join("");
  return shared.has(words.length - 1) ? withoutSeparator(text) : text;
}

/** Shortens a text to fit the room by its middle: a share of the letters stays before it. */
export function fitted(text: string, room: number, widthOf: Measure, share = starts[0]): string {
  if (widthOf(text) <= room) return text;
  const letters = lettersOf(text);
  const cut = (kept: number) => {
    const start = Math.floor(kept * share);
    const end = letters.length - kept + start;
    const shorter = `${letters.slice(0, start).join("")}…${letters.slice(end).join("")}`;
    return shorter.replace(/…+/gu, "…");
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

function lettersOf(text: string): string[] {
  if (/^[\p{ASCII}…]*$/u.test(text)) return Array.from(text);
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

export function textOf(pieces: readonly NamePiece[]): string {
  return pieces.map(({ text }) => text).join("");
}

/** Names as they are shown, and those of them that letters were taken from. */
interface Shown {
  pieces: ReadonlyMap<string, readonly NamePiece[]>;
  loose: ReadonlySet<string>;
}

/** The name of a scheme that has no other: its folders go first, and then letters. */
function ofOne(scheme: NameScheme, room: number, widthOf: Measure): Shown {
  const [[name, words]] = scheme.words;
  const isEnough = (left: ReadonlySet<number>, hasSigns: boolean) =>
    widthOf(textOf(piecesOf(words, left, scheme.shared, hasSigns))) <= room;
  const signed = placesLeft(scheme, (left) => isEnough(left, true));
  // Signs at the ends give way to letters.
  const hasSigns = isEnough(signed, true);
  const left = hasSigns ? signed : placesLeft(scheme, (each) => isEnough(each, false));
  const pieces = piecesOf(words, left, scheme.shared, hasSigns);
  const text = textOf(pieces);
  if (widthOf(text) <= room) return { pieces: new Map([[name, pieces]]), loose: new Set() };
  const cut = [{ text: fitted(text, room, widthOf), isShared: false }];
  return { pieces: new Map([[name, cut]]), loose: new Set([name]) };
}

/**
 * Names as columns of words: all rows have the same columns, shortened in the same way. Columns
 * that are the same in all rows go first, then the words of all become shorter, and at last the
 * columns go without which the fewest rows are the same.
 */
function inColumns(scheme: NameScheme, room: number, widthOf: Measure): Shown {
  const { words, shared } = scheme;
  const lists = [...words.values()];
  const same = new Set(
    lists[0].keys().filter((at) => lists.every((list) => list[at] === lists[0][at])),
  );
  const ways = waysOf(scheme, same);
  const tables = shorterWords(lists, same);
  const textAt = ({ left, level, hasSigns }: Way, row: number) =>
    textOf(piecesOf(tables[level][row], left, shared, hasSigns));
  const widerMax = (1 - decidingPart) * lists.length + 1e-9;
  const isEnough = (way: Way) => {
    let wider = 0;
    return lists.every((_, row) => {
      if (widthOf(textAt(way, row)) > room) wider++;
      return wider <= widerMax;
    });
  };
  const found = ways.find(isEnough);
  const kept = found && withMore(found, isEnough);
  if (kept === undefined || new Set(lists.map((_, row) => textAt(kept, row))).size < words.size) {
    const cut = cutLetters(scheme, tables.at(-1)!, same, room, widthOf, kept === undefined);
    if (cut !== undefined) return cut;
  }
  const { left, level, hasSigns } = kept!;
  const loose = new Set<string>();
  const pieces = new Map<string, readonly NamePiece[]>();
  for (const [row, name] of [...words.keys()].entries()) {
    const list = tables[level][row];
    const own = piecesOf(list, left, shared, hasSigns);
    if (widthOf(textOf(own)) <= room) pieces.set(name, own);
    else {
      loose.add(name);
      pieces.set(name, [{ text: narrowed(own, room, widthOf), isShared: false }]);
    }
  }
  return { pieces, loose };
}

/** A way to shorten all names of a scheme. */
interface Way {
  /** Places of words that are left out. */
  left: ReadonlySet<number>;
  /** How far words are shortened, as a place in the tables. */
  level: number;
  /** Whether signs stand for words left out at the ends. */
  hasSigns: boolean;
}

/** The ways in which names are shortened, the one that keeps most first. */
function waysOf({ order }: NameScheme, same: ReadonlySet<number>): Way[] {
  const signs = [true, false];
  const levels = [0, 1, 2, 3, 4];
  const none = new Set<number>();
  // Names that are the same word are not left out.
  const first = [...same].filter((at) => order.includes(at));
  const without = new Set(first);
  const whole: Way[] = [{ left: none, level: 0, hasSigns: true }];
  const shorter = levels.flatMap((level) =>
    signs.map((hasSigns) => ({ left: without, level, hasSigns })),
  );
  const dropped = order.filter((at) => !same.has(at));
  const fewer = dropped.flatMap((_, at) =>
    levels.flatMap((level) =>
      signs.map((hasSigns) => ({
        left: new Set([...first, ...dropped.slice(0, at + 1)]),
        level,
        hasSigns,
      })),
    ),
  );
  return [...whole, ...shorter, ...fewer];
}

/** The same way with the words again that have room, the most telling first. */
function withMore(way: Way, isEnough: (way: Way) => boolean): Way {
  let kept = way;
  for (const at of [...way.left].reverse()) {
    const left = new Set([...kept.left].filter((each) => each !== at));
    if (isEnough({ ...kept, left })) kept = { ...kept, left };
  }
  return kept;
}

/**
 * The words of names, ever shorter: exponents without zeros, then labels of numbers as their first
 * letters, then numbers alone, then the beginnings of words. A column stays as it is where its
 * values would become the same.
 */
function shorterWords(
  lists: readonly (readonly string[])[],
  same: ReadonlySet<number>,
): (readonly (readonly string[])[])[] {
  const exponent = (word: string) => word.replace(/(?<=\de[+-]?)0+(?=\d)/u, "");
  const ways = [
    exponent,
    (word: string) => exponent(word).replace(/^(\p{L})\p{L}+(?=\d)/u, "$1"),
    (word: string) => exponent(word).replace(/^\p{L}+(?=\d)/u, ""),
    (word: string) =>
      /\d/u.test(word)
        ? exponent(word).replace(/^\p{L}+(?=\d)/u, "")
        : word.replace(/(?<=^\p{L}{3})\p{L}+/u, ""),
  ];
  const shorter = ways.map((way) => {
    const columns = [...lists[0].keys()].map((at) => {
      if (same.has(at)) return lists.map((list) => list[at]);
      const labels = new Set(lists.map((list) => /^\p{L}*/u.exec(list[at])![0]));
      const short = lists.map((list) =>
        (labels.size > 1 && /\d/u.test(list[at]) ? exponent : way)(list[at]),
      );
      const isTold = new Set(short).size === new Set(lists.map((list) => list[at])).size;
      return isTold ? short : lists.map((list) => list[at]);
    });
    return lists.map((_, row) => columns.map((column) => column[row]));
  });
  return [lists, ...shorter];
}

/** Shortens a name that is longer than its kin in its longest word, which keeps its columns. */
function narrowed(pieces: readonly NamePiece[], room: number, widthOf: Measure): string {
  const words = textOf(pieces).split(/(?<=[/_\s=,:…-])/u);
  // Numbers stay: they are told apart by each of their figures.
  const lettersIn = (word: string) => word.replace(/[^\p{L}]|\d.*/gu, "").length;
  const longest = words.reduce(
    (best, word, at) => (lettersIn(word) > lettersIn(words[best]) ? at : best),
    0,
  );
  const over = widthOf(words.join("")) - room;
  const short = fitted(words[longest], widthOf(words[longest]) - over, widthOf, 2 / 3);
  const text = words.with(longest, short).join("").replace(/…+/gu, "…");
  return short !== "" && widthOf(text) <= room ? text : fitted(textOf(pieces), room, widthOf);
}

/** Names without letters in one place; undefined: that tells fewer of them, unless it has to do. */
function cutLetters(
  { words, shared }: NameScheme,
  table: readonly (readonly string[])[],
  same: ReadonlySet<number>,
  room: number,
  widthOf: Measure,
  hasTo: boolean,
): Shown | undefined {
  const names = [...words.keys()];
  const left = same.size < table[0].length ? same : new Set<number>();
  const own = table.map((list) => textOf(piecesOf(list, left, shared, false)));
  const ways = starts.map((start) => own.map((text) => fitted(text, room, widthOf, start)));
  const told = ways.map((texts) => new Set(texts).size);
  const most = Math.max(...told);
  if (!hasTo && most < names.length) return undefined;
  // Figures of numbers are not cut where columns tell many names.
  const widest = Math.max(...own.map(widthOf));
  if (!hasTo && table[0].length - left.size > 2 && room < nearlyAll * widest) return undefined;
  const texts = ways[told.indexOf(most)];
  const pieces = names.map((name, row) => [name, [{ text: texts[row], isShared: false }]] as const);
  return { pieces: new Map(pieces), loose: new Set(names) };
}

/** The places that a name leaves out: as few, and as little telling ones, as it takes. */
function placesLeft(
  { order }: NameScheme,
  isEnough: (left: ReadonlySet<number>) => boolean,
): Set<number> {
  const left = new Set<number>();
  for (const at of order) {
    if (isEnough(left)) break;
    left.add(at);
  }
  if (!isEnough(left)) return left;
  for (const at of [...left].reverse()) {
    left.delete(at);
    if (!isEnough(left)) left.add(at);
  }
  return left;
}

/** The words that are left of a name, and signs for the others, which its ends may lack. */
function piecesOf(
  words: readonly string[],
  left: ReadonlySet<number>,
  shared: ReadonlySet<number>,
  hasSigns: boolean,
): NamePiece[] {
  const pieces: NamePiece[] = [];
  let isCut = false;
  for (const [at, text] of words.entries()) {
    const last = pieces.at(-1);
    if (left.has(at)) {
      if (!isCut) pieces.push({ text: "…", isShared: false });
    } else if (last !== undefined && !isCut && last.isShared === shared.has(at)) last.text += text;
    else pieces.push({ text, isShared: shared.has(at) });
    isCut = left.has(at);
  }
  const beforeEnd = isCut ? pieces.at(-2) : undefined;
  if (beforeEnd !== undefined) beforeEnd.text = withoutSeparator(beforeEnd.text);
  if (hasSigns) return pieces;
  return pieces.slice(left.has(0) ? 1 : 0, isCut ? -1 : undefined);
}

function withoutSeparator(text: string): string {
  return text.replace(/[/_\s=,:.-]+$/u, "");
}

/** Gives names without letters that became the same text others, by what they differ in. */
function tellApart(
  all: Map<string, readonly NamePiece[]>,
  loose: ReadonlySet<string>,
  room: number,
  widthOf: Measure,
): void {
  const groups = Map.groupBy(all.keys(), (name) => textOf(all.get(name)!));
  const taken = new Set(groups.keys());
  for (const same of groups.values()) {
    const free = same.filter((name) => loose.has(name));
    if (same.length < 2 || free.length === 0) continue;
    const ways = [
      fromDifference(same, room, widthOf),
      ...starts.map(
        (start) => new Map(same.map((name) => [name, fitted(name, room, widthOf, start)])),
      ),
    ];
    const isFree = (text: string) => text !== "" && !taken.has(text);
    const told = ways.map((texts) => new Set([...texts.values()].filter(isFree)).size);
    const way = ways[told.indexOf(Math.max(...told))];
    for (const name of free) {
      const text = way.get(name)!;
      if (!isFree(text)) continue;
      all.set(name, [{ text, isShared: false }]);
      taken.add(text);
    }
  }
}

/** Names from the first letter on in which they differ. */
function fromDifference(
  names: readonly string[],
  room: number,
  widthOf: Measure,
): Map<string, string> {
  const letters = names.map(lettersOf);
  const at = letters[0].findIndex((letter, place) => letters.some((one) => one[place] !== letter));
  const start = at < 0 ? letters[0].length : at;
  return new Map(
    names.map((name, line) => {
      const rest = letters[line].slice(start).join("");
      return [name, fitted(start > 0 ? `…${rest}` : rest, room, widthOf, 1)];
    }),
  );
}
