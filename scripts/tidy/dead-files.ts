import { posix } from "node:path";
import { isTest, isTypeScript, type Tree } from "./tree.ts";

/**
 * Source files that nothing reaches, and product files that only tests reach. Roots are the tests,
 * the files named in a package.json (bin, exports, scripts) and in `.ci/run`; from there every
 * string that names a file counts, be it an import, a Worker or a spawned script.
 */
export function deadFiles(tree: Tree): string[] {
  const sources = [...tree.keys()].filter((path) => /\.(tsx?|js)$/.test(path));
  const entries = sources.filter((path) => isNamedByManifest(tree, path));
  const used = reachedFrom(tree, entries);
  const tested = reachedFrom(tree, sources.filter(isTest));
  return sources.flatMap((path) => {
    if (used.has(path)) return [];
    if (!tested.has(path)) return [`${path}: nothing uses this file`];
    return isProduct(path) ? [`${path}: only tests use this file`] : [];
  });
}

/** Files that help tests have a telling ending, or are in a test folder. */
function isProduct(path: string): boolean {
  return (
    /^(protocol|client|cli|server|web)\/src\//.test(path) &&
    !isTest(path) &&
    !path.endsWith(".fixture.ts")
  );
}

function reachedFrom(tree: Tree, roots: string[]): Set<string> {
  const reached = new Set<string>();
  const waiting = [...roots];
  while (waiting.length > 0) {
    const path = waiting.pop() as string;
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...referencesOf(tree, path));
  }
  return reached;
}

function isNamedByManifest(tree: Tree, path: string): boolean {
  for (const manifest of tree.keys()) {
    if (!/(^|\/)package\.json$|^\.ci\/run$/.test(manifest)) continue;
    const fromThere = posix.relative(posix.dirname(manifest), path);
    const words = tree.get(manifest)?.split(/[\s"']+/) ?? [];
    if (words.some((word) => word === fromThere || word === `./${fromThere}`)) return true;
  }
  return false;
}

function referencesOf(tree: Tree, path: string): string[] {
  const text = tree.get(path) ?? "";
  const names = [...text.matchAll(/["'`]([^"'`\s]+)["'`]/g)].map((match) => match[1]);
  return names.flatMap((name) => resolve(tree, path, name));
}

/**
 * Finds the file named by a string: beside this one, from the repository's root, or of a workspace.
 */
function resolve(tree: Tree, from: string, name: string): string[] {
  const workspace = /^@lossless\/([a-z]+)(?:\/(.+))?$/.exec(name);
  const candidates = workspace
    ? [`${workspace[1]}/src/${workspace[2] ?? "index"}.ts`]
    : [posix.join(posix.dirname(from), name), posix.normalize(name)];
  return candidates.filter(
    (path) => tree.has(path) && (isTypeScript(path) || path.endsWith(".js")),
  );
}
