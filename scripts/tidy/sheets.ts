import type { Tree } from "./tree.ts";

/** All sheets are one for the browser; this one is for elements, whatever page they are on. */
const elements = "web/src/theme.css";
const ofPages = "web/src/pages/";

interface Selector {
  path: string;
  line: number;
  /** The classes that it begins with, by which a sheet defines them, */
  defined: readonly string[];
  /** and all of them. */
  named: readonly string[];
  /** The part before its first space. */
  first: string;
}

/**
 * Sheets have no effect on each other but those that they are meant to have: each class is defined
 * in one sheet, and what a page's sheet defines no other sheet names. A page that wants something
 * shared to look otherwise says so below a class of its own.
 */
export function sharedClasses(tree: Tree): string[] {
  const selectors = [...tree]
    .filter(([path]) => path.startsWith("web/src/") && path.endsWith(".css"))
    .flatMap(([path, text]) => selectorsOf(path, text));
  const owners = new Map<string, string>();
  for (const { path, defined } of selectors)
    for (const name of defined) if (!owners.has(name)) owners.set(name, path);
  return selectors.flatMap(({ path, line, defined, named, first }) => {
    const at = `${path}:${line}:`;
    if (defined.length === 0 && path !== elements && !/^(:root|\[data-density)/.test(first))
      return [`${at} ${first} is no class: elements are for ${elements}`];
    return [...new Set(named)].flatMap((name) => {
      const owner = owners.get(name) ?? path;
      if (owner === path) return [];
      if (defined.includes(name)) return [`${at} .${name} is defined in ${owner}, too`];
      return owner.startsWith(ofPages) ? [`${at} .${name} belongs to ${owner}`] : [];
    });
  });
}

const comment = /\/\*.*?\*\//gs;
const frame = /^(from|to|[\d.]+%)$/;
const brackets = String.raw`\((?:[^()]|\([^()]*\))*\)`;
const firstPart = new RegExp(`^(?:[^\\s>+~()]|${brackets})+`);
const between = new RegExp(`(?:[^,()]|${brackets})+`, "g");

function selectorsOf(path: string, text: string): Selector[] {
  const sheet = text.replaceAll(comment, (words) => words.replaceAll(/[^\n]/g, " "));
  return [...sheet.matchAll(/[^{};]+(?=\{)/g)].flatMap((found) => {
    const before = sheet.slice(0, found.index + found[0].search(/\S/));
    const line = before.split("\n").length;
    return (found[0].match(between) ?? []).flatMap((each) => {
      const selector = each.trim();
      if (selector.startsWith("@") || frame.test(selector)) return [];
      const first = firstPart.exec(selector)?.[0] ?? selector;
      return [{ path, line, defined: classesIn(first), named: classesIn(selector), first }];
    });
  });
}

function classesIn(text: string): string[] {
  return [...text.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = ""]) => name);
}
