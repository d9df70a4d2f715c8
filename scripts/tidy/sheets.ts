import type { Tree } from "./tree.ts";

/** The sheet for elements on all pages; browsers load all sheets as one. */
const elements = "web/src/theme.css";
const ofPages = "web/src/pages/";

interface Selector {
  path: string;
  line: number;
  /** Classes in the first part, which the sheet thereby defines, */
  defined: readonly string[];
  /** and all classes. */
  named: readonly string[];
  /** The part before the first space. */
  first: string;
}

/**
 * Checks that sheets affect each other only as intended: each class is defined in one sheet, and no
 * other sheet names the classes of a page's sheet. A page changes the look of a shared class below
 * a class of its own.
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
