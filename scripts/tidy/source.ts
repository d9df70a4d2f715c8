import { eachLine, isGenerated, isPython, isTest, isTypeScript, type Tree } from "./tree.ts";

/** In two pieces, so that this file does not report itself. */
const unfinished = new RegExp(`\\b(TO${"DO"}|FIX${"ME"}|XX${"X"}|HA${"CK"})\\b`);
const skippedTest = new RegExp(`\\b(test|it|describe|suite)\\.(skip|only|to${"do"})\\b`);

/** Unfinished work, in any form. */
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

/**
 * Mutable module state: main.ts builds everything stateful, and a module's `let` is a hidden
 * singleton.
 */
export function mutableModuleState(tree: Tree): string[] {
  const product = /^(protocol|client|cli|server|web)\/src\//;
  return eachLine(
    tree,
    (path) => product.test(path) && isTypeScript(path) && !isTest(path),
    (line) => (/^(export )?let /.test(line) ? "module-level mutable state" : undefined),
  );
}

/** Keywords for private members: `#` also hides them at run time, from printing and serializing. */
export function privateKeywords(tree: Tree): string[] {
  return eachLine(
    tree,
    (path) => isTypeScript(path),
    (line) =>
      /^\s+private (?!constructor)/.test(line) ? "`private` in place of #name" : undefined,
  );
}

const opening = /(?:(?:^|\s)(?:\/\/|\/?\*{1,2}|#) +|"""\s*)(Of|So (?:many|much|long|far))\b/gm;
/** A comment of a declaration has nothing before it that a pronoun could mean. */
const pronoun =
  /(?:\/\*\*\s+(?:\*\s+)?|"""\s*)(It|They|Those|These|That|Which|Who|Whom|Whose|Both|One (?:of|that|who|whose|which))\b/gm;
const vague = /(?:(?:^|\s)\/\/ +|\/\*\*\s+(?:\*\s+)?|"""\s*)What\b/gm;
const vagueMax = 20;

/** A comment has a subject and a verb: these make their reader guess the one or the other. */
export function riddles(tree: Tree): string[] {
  const faults: string[] = [];
  let count = 0;
  for (const [path, text] of tree) {
    if (!(isTypeScript(path) || isPython(path)) || isGenerated(text)) continue;
    const isOfTests = isTest(path) || /^test\/|\/tests?\/|\.fixture\.ts$/.test(path);
    const guessed = isOfTests ? [] : [...text.matchAll(pronoun)];
    for (const found of [...text.matchAll(opening), ...guessed]) {
      const line = text.slice(0, found.index + found[0].length).split("\n").length;
      faults.push(`${path}:${line}: a comment that begins with "${found[1]}"`);
    }
    // Python's tests and pronouns in tests are not held to this yet.
    if (!(isOfTests && isPython(path))) count += text.match(vague)?.length ?? 0;
  }
  if (count > vagueMax) faults.push(`${count} comments begin with "What": at most ${vagueMax}`);
  return faults;
}

const columnsMax = 100;

/** Comments beyond the column of `.editorconfig`: no formatter wraps them. */
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

/** The lines of comments; all other lines are empty. */
function commentsOf(text: string): string[] {
  return text.split("\n").map((line) => (/^\s*(\/\/|\/?\*{1,2}) /.test(line) ? line : ""));
}

/** Comments and docstrings of a Python file, without code and scripts in strings. */
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
