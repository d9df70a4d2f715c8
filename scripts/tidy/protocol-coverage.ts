import { isTest, isTypeScript, type Tree } from "./tree.ts";

/** Keys of the only table in a protocol file: the lines indented by exactly two spaces. */
function tableKeys(tree: Tree, path: string): string[] {
  return [...(tree.get(path) ?? "").matchAll(/^ {2}(\w+): /gm)].map((match) => match[1]);
}

function textOf(tree: Tree, wanted: (path: string) => boolean): string {
  return [...tree].flatMap(([path, text]) => (wanted(path) ? [text] : [])).join("\n");
}

/** Error codes that no black-box suite names. */
export function untestedCodes(tree: Tree): string[] {
  const path = "protocol/src/errors.ts";
  const table = /export const errors = \{\n([\s\S]*?)\n\} as const/.exec(tree.get(path) ?? "")?.[1];
  const codes = tableKeys(new Map([[path, table ?? ""]]), path);
  const suites = textOf(tree, (file) => file.startsWith("test/") && isTypeScript(file));
  return (
    codes
      // As a string, or as the key of a table.
      .filter((code) => !new RegExp(`["'\`]${code}["'\`]|^ *${code}:`, "m").test(suites))
      .map((code) => `${path}: no suite under test/ names the code ${code}`)
  );
}

/** Limits that the product never reads. */
export function unusedLimits(tree: Tree): string[] {
  const path = "protocol/src/limits.ts";
  const product = /^(protocol|server)\/src\//;
  const readers = textOf(
    tree,
    (file) => product.test(file) && file !== path && isTypeScript(file) && !isTest(file),
  );
  return tableKeys(tree, path)
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(readers))
    .map((name) => `${path}: nothing reads the limit ${name}`);
}
