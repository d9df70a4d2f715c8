import { eachLine, isTest, isTypeScript, type Tree } from "./tree.ts";

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

/** Everything alive is built in main.ts and handed on: a `let` at the top of a module is a hidden singleton. */
export function mutableModuleState(tree: Tree): string[] {
  const product = /^(protocol|client|cli|server)\/src\//;
  return eachLine(
    tree,
    (path) => product.test(path) && isTypeScript(path) && !isTest(path),
    (line) => (/^(export )?let /.test(line) ? "module-level mutable state" : undefined),
  );
}

const riddle = /(^|\s)(\/\/|\/?\*{1,2}) +Of\b/;

/** A comment has a subject and a verb: one that begins with "Of" leaves its reader to guess both. */
export function riddles(tree: Tree): string[] {
  const isGenerated = (path: string) => tree.get(path)?.startsWith("// Generated") === true;
  return eachLine(
    tree,
    (path) => isTypeScript(path) && !isGenerated(path),
    (line) => (riddle.test(line) ? 'a comment that begins with "Of"' : undefined),
  );
}
