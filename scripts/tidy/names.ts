import { isTypeScript, type Tree } from "./tree.ts";

/** Names that mean nothing as the whole name of a file or folder, */
const emptyNames = new Set("base common core interfaces lib misc service shared types".split(" "));
/** or as any part of it. */
const emptyParts = /^(helpers?|managers?|utils?|utilities)$/;

export function forbiddenNames(tree: Tree): string[] {
  const names = new Set([...tree.keys()].filter(isTypeScript).flatMap(pathAndFolders));
  return [...names].filter(saysNothing).map((path) => `${path}: a name that says nothing`);
}

/**
 * Splits `a/b/c.ts` into the path and its folders, so that a folder is reported once and not once
 * per file.
 */
function pathAndFolders(path: string): string[] {
  const steps = path.split("/");
  return steps.map((_, index) => steps.slice(0, index + 1).join("/"));
}

function saysNothing(path: string): boolean {
  const name = path.split("/").at(-1) ?? "";
  const stem = name.replace(/(\.test)?\.ts$/, "");
  // The running service, seen from inside and as a black box: here the word is the subject.
  if (path === "server/src/service.ts" || path === "test/service.ts") return false;
  return emptyNames.has(stem) || stem.split("-").some((part) => emptyParts.test(part));
}
