import type { Tree } from "./tree.ts";

/**
 * Files of the Python package that one of its files imports: at the top, in functions, for types
 * only, or by `import_module` with a literal name.
 */
export function pythonImports(tree: Tree, path: string): string[] {
  const text = (tree.get(path) ?? "").replaceAll(/"""[^]*?"""/g, '""');
  const from = [...text.matchAll(fromImport)].flatMap(([, module = "", names = ""]) => {
    const base = absolute(path, module);
    const own = [...names.matchAll(importedName)].map(([name]) => `${base}/${name}`);
    return own.map((each) => fileOf(tree, each) ?? fileOf(tree, base));
  });
  const whole = [...text.matchAll(plainImport), ...text.matchAll(namedImport)];
  const files = [...from, ...whole.map(([, name = ""]) => fileOf(tree, absolute(path, name)))];
  return [...new Set(files)].filter((file) => file !== undefined);
}

export const pythonPackage = "python/src/lossless";
export const isOfPythonPackage = (path: string) =>
  path.startsWith(`${pythonPackage}/`) && path.endsWith(".py");

const fromImport = /^[ \t]*from[ \t]+(\.[\w.]*|lossless[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|.*)/gm;
const plainImport = /^[ \t]*import[ \t]+(lossless\b[\w.]*)/gm;
const namedImport = /\bimport_module\("(\.[\w.]+)"/g;
/** Without aliases: `settings as _settings` is settings. */
const importedName = /(?<!\bas[ \t]+)\b(?!as\b)\w+/g;

/** Resolves a relative module: `..b.c` in a/x/y.py is a/b/c; `lossless.b` is the package's b. */
function absolute(path: string, module: string): string {
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(module) ?? [];
  const inner = rest.split(".").filter((part) => part !== "");
  if (dots === "") return [...pythonPackage.split("/"), ...inner.slice(1)].join("/");
  return [...path.split("/").slice(0, -dots.length), ...inner].join("/");
}

function fileOf(tree: Tree, module: string): string | undefined {
  return [`${module}.py`, `${module}/__init__.py`].find((file) => tree.has(file));
}
