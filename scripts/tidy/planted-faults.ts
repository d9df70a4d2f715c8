import type { Tree } from "./tree.ts";

/**
 * Faults that tests plant into copies of the source, each at one place. Their suites run last and
 * take long: that the place is still there, this check says in a second.
 */
export function lostPlaces(tree: Tree): string[] {
  const faults: string[] = [];
  for (const [path, text] of tree) {
    if (!path.startsWith("test/") || !path.endsWith(".ts")) continue;
    for (const { file, find } of plantedAt(text)) {
      const count = (tree.get(file) ?? "").split(find).length - 1;
      if (count === 1) continue;
      faults.push(
        `${path}: ${file} has ${count} places for a fault, not one: ${find.split("\n")[0]}`,
      );
    }
  }
  return faults;
}

const literal = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"}`;
const place = new RegExp(
  String.raw`\bfile: (${literal}|\w+),\s+(?:find|before|behind):\s+(${literal}|\w+)`,
  "gs",
);
const named = new RegExp(String.raw`^const (\w+) =\s+(${literal});`, "gms");

/** Places that are written as texts, or as constants of the file; others are made while it runs. */
function plantedAt(text: string): { file: string; find: string }[] {
  const constants = new Map(Array.from(text.matchAll(named), ([, name, value]) => [name, value]));
  const valueOf = (source: string) => textOf(/^\w/.test(source) ? constants.get(source) : source);
  return Array.from(text.matchAll(place), ([, file, find]) => ({
    file: valueOf(file),
    find: valueOf(find),
  })).filter((found): found is { file: string; find: string } =>
    Object.values(found).every((value) => value !== undefined),
  );
}

/** The text of a literal without expressions in it. */
function textOf(source: string | undefined): string | undefined {
  if (source === undefined || (source.startsWith("`") && source.includes("${"))) return undefined;
  const escaped = /\\(.)/gs;
  return source
    .slice(1, -1)
    .replace(escaped, (_, char: string) => ({ n: "\n", t: "\t" })[char] ?? char);
}
