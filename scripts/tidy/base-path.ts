import { eachLine, isTest, isTypeScript, type Tree } from "./tree.ts";

const around =
  /\bwindow\.location\.(?:origin|pathname|assign|replace|href =)|\bfetch\(\s*["'`]\/|\bwindow\.open\(/;
const placed = /\b(?:un)?placed\(|[!=]== window\.location\.origin\b/;

/** The service may stand below a path of its host: the pages know of it in one file alone. */
export function addressesAroundBase(tree: Tree): string[] {
  return eachLine(
    tree,
    (path) =>
      /^web\/src\/(?!base-path\.ts)/.test(path) &&
      isTypeScript(path) &&
      !isTest(path) &&
      !path.includes(".fixture."),
    (line) =>
      around.test(line) && !placed.test(line)
        ? "an address that web/src/base-path.ts does not place"
        : undefined,
  );
}
