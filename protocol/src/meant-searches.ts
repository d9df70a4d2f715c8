import { nameTest } from "./name-search.ts";
import { meantNames, nearNames } from "./near-names.ts";

/**
 * Searches that may be meant by one that finds no name: a regular expression that was typed
 * without slashes, words of which some are misspelt, otherwise names.
 */
export function meantSearches(search: string, names: Iterable<string>, most = 3): string[] {
  const text = search.trim();
  const all = [...new Set(names)];
  const other = inSlashes(text, all) ?? spelled(text, all);
  return other === undefined ? meantNames(text, all, most) : [other];
}

function inSlashes(text: string, names: readonly string[]): string | undefined {
  if (!/[[\](){}|^$+?\\]|\.\*/.test(text) || /^\/.+\/$/s.test(text)) return undefined;
  return names.some(testOf(`/${text}/`)) ? `/${text}/` : undefined;
}

/** Several words, each of those that no name has replaced by the part of a name nearest to it. */
function spelled(text: string, names: readonly string[]): string | undefined {
  const words = text.split(/\s+/);
  const isKnown = (word: string) => names.some(testOf(`*${word}*`));
  const known = words.filter(isKnown);
  if (words.length < 2 || known.length === words.length) return undefined;
  const found = names.filter((name) => known.every((word) => testOf(`*${word}*`)(name)));
  const parts = new Set(found.flatMap((name) => name.split(/[/._\s-]+/)));
  const right = words.map((word): string | undefined =>
    isKnown(word) ? word : nearNames(word, parts, 1)[0],
  );
  const other = right.join(" ");
  return !right.includes(undefined) && names.some(testOf(other)) ? other : undefined;
}

function testOf(search: string): (name: string) => boolean {
  try {
    return nameTest(search);
  } catch {
    // An expression that cannot be read finds nothing.
    return () => false;
  }
}
