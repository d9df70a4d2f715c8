import { posix } from "node:path";
import { eachLine, type Tree } from "./tree.ts";

const isDocument = (path: string) => path.endsWith(".md");

/** The text of a document without code fences; line numbers are kept. */
function prose(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ""));
}

/** Documents without exactly one title. */
export function wrongTitles(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => isDocument(path))
    .flatMap(([path, text]) => {
      const titles = prose(text).match(/^# .+/gm)?.length ?? 0;
      return titles === 1 ? [] : [`${path}: ${titles} titles, there must be exactly one`];
    });
}

/** Relative links that lead to no file of the repository, or `#anchors` to no heading. */
export function brokenLinks(tree: Tree): string[] {
  const withoutCode = new Map(
    [...tree].map(([path, text]) => [path, isDocument(path) ? prose(text) : text]),
  );
  return eachLine(withoutCode, isDocument, (line, path) => {
    const targets = [...line.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]);
    const broken = targets.filter((target) => !leadsSomewhere(tree, path, target));
    return broken.length === 0 ? undefined : `a link that leads nowhere: ${broken.join(", ")}`;
  });
}

function leadsSomewhere(tree: Tree, from: string, target: string): boolean {
  if (/^(https?|mailto):/.test(target)) return true;
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? from : posix.join(posix.dirname(from), file).replace(/\/$/, "");
  const text = tree.get(path);
  if (text === undefined) return [...tree.keys()].some((known) => known.startsWith(`${path}/`));
  return anchor === undefined || anchorsOf(text).has(anchor);
}

/**
 * Anchors of the headings as GitHub makes them: lower case, punctuation dropped, spaces to hyphens.
 */
function anchorsOf(text: string): Set<string> {
  const headings = prose(text).match(/^#+ .+/gm) ?? [];
  const slug = (heading: string) => heading.replace(/^#+ /, "").toLowerCase();
  return new Set(
    headings.map((h) =>
      slug(h)
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Commands `npm run x` in documents that are no script of the root. */
export function unknownCommands(tree: Tree): string[] {
  const manifest = JSON.parse(tree.get("package.json") ?? "{}") as {
    scripts?: Record<string, string>;
  };
  const scripts = new Set(Object.keys(manifest.scripts ?? {}));
  return eachLine(tree, isDocument, (line) => {
    const named = [...line.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(
      (m) => m[1] ?? m[2] ?? "",
    );
    const missing = named.filter((name) => !scripts.has(name));
    return missing.length === 0
      ? undefined
      : `no such script in package.json: ${missing.join(", ")}`;
  });
}
