import { importedFile, importedNames } from "./imports.ts";
import { isOfPythonPackage, pythonImports } from "./python-imports.ts";
import { isTypeScript, type Tree } from "./tree.ts";

/**
 * Files that import each other in any number of steps. Imports of types count, and dynamic ones: a
 * reader of one file needs them all. `import/no-cycle` sees neither.
 */
export function importCircles(tree: Tree): string[] {
  const imports = new Map(
    [...tree.keys()].flatMap((path): [string, string[]][] => {
      if (isTypeScript(path)) return [[path, importsOf(tree, path)]];
      return isOfPythonPackage(path) ? [[path, pythonImports(tree, path)]] : [];
    }),
  );
  return circlesIn(imports).map((circle) => {
    const [first = "", ...others] = circle.sort();
    return `${first}: in a circle of imports with ${others.join(", ")}`;
  });
}

function importsOf(tree: Tree, path: string): string[] {
  const targets = importedNames(tree.get(path) ?? "").map((name) => importedFile(path, name) ?? "");
  return targets.filter((target) => tree.has(target) && isTypeScript(target));
}

/** Tarjan's strongly connected components of two or more files. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const open: string[] = [];
  const visit = (path: string): number => {
    const own = order.size;
    order.set(path, own);
    open.push(path);
    let earliest = own;
    for (const target of imports.get(path) ?? []) {
      if (!order.has(target)) earliest = Math.min(earliest, visit(target));
      else if (open.includes(target)) earliest = Math.min(earliest, order.get(target) ?? own);
    }
    if (earliest === own) {
      const circle = open.splice(open.indexOf(path));
      if (circle.length > 1) circles.push(circle);
    }
    return earliest;
  };
  for (const path of imports.keys()) if (!order.has(path)) visit(path);
  return circles;
}
