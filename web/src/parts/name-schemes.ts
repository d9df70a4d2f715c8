/** Names of a list that are made in the same way, such as `lion-lr1e-3-seed1` and its kin. */
export interface NameScheme {
  /** The words of each name, by name: each has as many. */
  words: ReadonlyMap<string, readonly string[]>;
  /** Places of words in the order in which they are left out. The most telling have none. */
  order: readonly number[];
  /** The first of these, without which names that differ still do. */
  untelling: number;
  /** Places of words that all names of it have, and nearly all of the list. */
  shared: ReadonlySet<number>;
}

/** Names by which a scheme of very many is judged. */
const judgedMax = 200;
/** A word that tells so many apart as another one is as telling. */
const nearlyAll = 0.95;
/** The least part of a list that has a shared word. */
const sharedPart = 0.6;

/** The schemes of the names of a list: one of them leaves the words of others as they are. */
export function schemesOf(names: readonly string[]): NameScheme[] {
  const lists = new Map(names.map((name) => [name, wordsOf(name)]));
  const counts = new Map<string, number>();
  for (const words of lists.values())
    for (const word of new Set(words.map(bare))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const partOf = (word: string) => counts.get(bare(word))! / lists.size;
  return grouped(lists).map((words) => schemeOf(words, partOf));
}

/** Words with the separators behind them; `1e-3` and `0.1` are one each. */
function wordsOf(name: string): string[] {
  return name.split(/(?<=[/_\s=,:]|(?<!\de)-|-(?!\d)|\.(?!\d)|(?<!\d)\.)/u);
}

/** The last of equally telling words goes first, and the first one of those that tell nothing. */
function inTurn(one: number, other: number, mean: number): number {
  return mean < 1e-9 ? one - other : other - one;
}

function bare(word: string): string {
  return word.replace(/[/_\s=,:.-]+$/u, "");
}

/** Names belong together that have as many words, half of them alike but for numbers. */
function grouped(lists: ReadonlyMap<string, readonly string[]>): Map<string, readonly string[]>[] {
  const groups: { shapes: string[]; names: Map<string, readonly string[]> }[] = [];
  for (const [name, words] of lists) {
    const shapes = words.map((word) => word.replace(/\d[\d.]*(e[+-]?\d+)?/gu, "#"));
    const isKin = (other: readonly string[]) =>
      other.length === shapes.length &&
      2 * shapes.filter((shape, at) => shape === other[at]).length >= shapes.length;
    const group = groups.find((each) => isKin(each.shapes));
    if (group === undefined) groups.push({ shapes, names: new Map([[name, words]]) });
    else group.names.set(name, words);
  }
  return groups.map(({ names }) => names);
}

function schemeOf(
  words: ReadonlyMap<string, readonly string[]>,
  partOf: (word: string) => number,
): NameScheme {
  const lists = [...words.values()].slice(0, judgedMax);
  const places = [...lists[0].keys()];
  const means = places.map((at) => {
    const told = lists.map((list) => -Math.log(partOf(list[at])));
    return told.reduce((sum, each) => sum + each, 0) / lists.length;
  });
  if (words.size === 1) return { words, ...orderOfOne(lists[0], means), shared: new Set() };
  const isShared = (at: number) =>
    lists.every((list) => list[at] === lists[0][at]) && partOf(lists[0][at]) >= sharedPart;
  return { words, ...orderOf(lists, means), shared: new Set(places.filter(isShared)) };
}

/** A name that is alone leaves out its folders, then the words that others have. */
function orderOfOne(words: readonly string[], means: readonly number[]) {
  const most = Math.max(...means);
  const isFolder = (at: number) => at < words.length - 1 && words[at].endsWith("/");
  const lastFolder = [...words.keys()].findLastIndex(isFolder);
  const places = [...words.keys()].filter((at) => at <= lastFolder || means[at] < most);
  const order = places.sort(
    (one, other) =>
      Number(one > lastFolder) - Number(other > lastFolder) || means[one] - means[other],
  );
  return { order, untelling: order.length };
}

/** Each next place is the least telling one of those without which most names still differ. */
function orderOf(lists: readonly (readonly string[])[], means: readonly number[]) {
  const differing = (kept: readonly number[]) =>
    new Set(lists.map((words) => kept.map((at) => words[at]).join("\0"))).size;
  let kept = [...means.keys()];
  const all = differing(kept);
  const order: number[] = [];
  let untelling = 0;
  while (kept.length > 1) {
    const choices = kept.map((at) => {
      const rest = kept.filter((each) => each !== at);
      return { at, rest, left: differing(rest), mean: means[at] };
    });
    const most = Math.max(...choices.map(({ left }) => left));
    const [next] = choices
      .filter(({ left }) => left >= nearlyAll * most)
      .sort((one, other) => one.mean - other.mean || inTurn(one.at, other.at, one.mean));
    order.push(next.at);
    kept = next.rest;
    if (next.left === all) untelling = order.length;
  }
  return { order, untelling };
}
