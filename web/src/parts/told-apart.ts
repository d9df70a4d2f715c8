/**
 * A part of a name in a list: `common` to all names; a `key`, which differs most between them; or
 * some `other` one.
 */
export interface NamePart {
  text: string;
  role: "common" | "key" | "other";
}

/** Letters of a common part that are not worth cutting. */
const shortMax = 3;

/**
 * The parts of names in a list, by name: where there is little room, the common ones are cut first
 * and the keys last, so that the names can still be told apart. Words are compared one by one where
 * all names have as many, else from both ends.
 */
export function toldApart(names: readonly string[]): ReadonlyMap<string, readonly NamePart[]> {
  const all = new Map(names.map((name) => [name, wordsOf(name)]));
  const lists = [...all.values()];
  if (lists.length < 2) return new Map();
  const shortest = Math.min(...lists.map(({ length }) => length));
  const isEven = lists.every(({ length }) => length === shortest);
  const roleAt = isEven ? rolesByPlace(lists) : rolesByEnds(lists, shortest);
  return new Map(
    [...all].map(([name, words]) => [
      name,
      joined(words.map((text, at) => ({ text, role: roleAt(at, words.length) }))),
    ]),
  );
}

type RoleAt = (at: number, words: number) => NamePart["role"];

/** For lists of the same length: the key is the first place with the most different words. */
function rolesByPlace(lists: readonly (readonly string[])[]): RoleAt {
  const counts = lists[0].map((_, at) => new Set(lists.map((words) => words[at])).size);
  const key = counts.indexOf(Math.max(...counts));
  return (at) => (counts[at] === 1 ? "common" : at === key ? "key" : "other");
}

function rolesByEnds(lists: readonly (readonly string[])[], shortest: number): RoleAt {
  const isCommon = (at: number) => lists.every((words) => words.at(at) === lists[0].at(at));
  let head = 0;
  while (head < shortest && isCommon(head)) head++;
  let tail = 0;
  while (tail < shortest - head && isCommon(-1 - tail)) tail++;
  return (at, words) => (at < head || at >= words - tail ? "common" : "key");
}

/** Words with the separators behind them. */
function wordsOf(name: string): string[] {
  return name.match(/[^/_\s=-]*[/_\s=-]|[^/_\s=-]+/gu) ?? [name];
}

/** Neighbours of one role as one part; short common ones belong to what is beside them. */
function joined(parts: readonly NamePart[]): NamePart[] {
  const all = merged(parts).map((part): NamePart => {
    const isShort = part.role === "common" && part.text.length <= shortMax;
    return isShort ? { ...part, role: "other" } : part;
  });
  return merged(all);
}

function merged(parts: readonly NamePart[]): NamePart[] {
  const all: NamePart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.role === part.role) last.text += part.text;
    else all.push({ ...part });
  }
  return all;
}
