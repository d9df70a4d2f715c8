import { eachLine, isGenerated, isPython, isTest, isTypeScript, type Tree } from "./tree.ts";

/** Written in two pieces, so that this file is not its own first fault. */
const unfinished = new RegExp(`\\b(TO${"DO"}|FIX${"ME"}|XX${"X"}|HA${"CK"})\\b`);
const skippedTest = new RegExp(`\\b(test|it|describe|suite)\\.(skip|only|to${"do"})\\b`);

/** Work that was left for later, in whatever form. */
export function leftovers(tree: Tree): string[] {
  return eachLine(
    tree,
    (path) => path !== "package-lock.json",
    (line, path) => {
      if (unfinished.test(line)) return "unfinished work";
      if (isTest(path) && skippedTest.test(line)) return "a test that does not run";
      return undefined;
    },
  );
}

/** Everything alive is built in main.ts and handed on: a module's `let` is a hidden singleton. */
export function mutableModuleState(tree: Tree): string[] {
  const product = /^(protocol|client|cli|server|web)\/src\//;
  return eachLine(
    tree,
    (path) => product.test(path) && isTypeScript(path) && !isTest(path),
    (line) => (/^(export )?let /.test(line) ? "module-level mutable state" : undefined),
  );
}

/** What is private is so when the program runs, too: nothing prints it, nothing serializes it. */
export function privateKeywords(tree: Tree): string[] {
  return eachLine(
    tree,
    (path) => isTypeScript(path),
    (line) =>
      /^\s+private (?!constructor)/.test(line) ? "`private` in place of #name" : undefined,
  );
}

const riddle = /(?:(?:^|\s)(?:\/\/|\/?\*{1,2}|#) +|"""\s*)Of\b/gm;

/** A comment has a subject and a verb: one that begins with "Of" makes its reader guess both. */
export function riddles(tree: Tree): string[] {
  const faults: string[] = [];
  for (const [path, text] of tree) {
    if (!(isTypeScript(path) || isPython(path)) || isGenerated(text)) continue;
    for (const found of text.matchAll(riddle)) {
      const line = text.slice(0, found.index + found[0].length).split("\n").length;
      faults.push(`${path}:${line}: a comment that begins with "Of"`);
    }
  }
  return faults;
}

const columnsMax = 100;

/** Prose ends at the column that `.editorconfig` names: no formatter wraps comments. */
export function longLines(tree: Tree): string[] {
  const faults: string[] = [];
  for (const [path, text] of tree) {
    if (!(isTypeScript(path) || isPython(path)) || isGenerated(text)) continue;
    for (const [index, line] of (isPython(path) ? pythonProse(text) : commentsOf(text)).entries()) {
      if (line.length <= columnsMax) continue;
      faults.push(`${path}:${index + 1}: more than ${columnsMax} columns`);
    }
  }
  return faults;
}

/** The lines that are comments; the others are empty. */
function commentsOf(text: string): string[] {
  return text.split("\n").map((line) => (/^\s*(\/\/|\/?\*{1,2}) /.test(line) ? line : ""));
}

/** A Python file's comments and docstrings: no code, and no string that is a script of a test. */
function pythonProse(text: string): string[] {
  let previous = "";
  let within: "docstring" | "text" | undefined;
  return text.split("\n").map((line) => {
    const before = within;
    if (line.split('"""').length % 2 === 0) {
      const isDocstring = /^\s*"""/.test(line) && /^$|^#|:$/.test(previous);
      within = within !== undefined ? undefined : isDocstring ? "docstring" : "text";
    }
    const isOneLine = before === undefined && /^\s*""".*"""$/.test(line);
    const isDocstring = [before, within].includes("docstring") || isOneLine;
    const isProse = isDocstring || (before === undefined && /^\s*#/.test(line));
    if (line.trim() !== "") previous = line.trim();
    return isProse ? line : "";
  });
}
