import { isOfPythonPackage, pythonImports, pythonPackage } from "./python-imports.ts";
import type { Tree } from "./tree.ts";

/**
 * Allowed imports in the Python package, types included: docs/client-python.md, "The packages". A
 * room imports only the rooms that it lists, all above it here.
 */
const rooms: readonly (readonly [room: string, imports: readonly string[]])[] = [
  ["_ground", []],
  ["_values", ["_ground"]],
  ["_service", ["_ground", "_values"]],
  ["_reading", ["_ground", "_values", "_service"]],
  ["_spool", ["_ground", "_values"]],
  ["_media", ["_ground", "_values", "_spool"]],
  ["_console", ["_ground", "_values", "_spool"]],
  ["_origin", ["_ground", "_values", "_spool", "_console"]],
  ["_artifacts", ["_ground", "_values", "_service"]],
  ["_saving", ["_ground", "_service", "_spool", "_artifacts"]],
  ["_sending", ["_ground", "_values", "_service", "_spool", "_origin", "_artifacts"]],
  ["_tensorboard", ["_ground", "_values", "_service", "_reading", "_spool", "_media", "_sending"]],
  [
    "_importing",
    [
      "_ground",
      "_values",
      "_service",
      "_reading",
      "_spool",
      "_media",
      "_console",
      "_artifacts",
      "_sending",
      "_tensorboard",
    ],
  ],
  [
    "_recording",
    [
      "_ground",
      "_values",
      "_service",
      "_reading",
      "_spool",
      "_media",
      "_console",
      "_origin",
      "_artifacts",
      "_saving",
      "_tensorboard",
    ],
  ],
  ["integrations", ["_values", "_recording"]],
  [
    "_wandb",
    [
      "_ground",
      "_values",
      "_service",
      "_reading",
      "_media",
      "_artifacts",
      "_recording",
      "integrations",
    ],
  ],
  ["_commands", ["_ground", "_artifacts", "_importing", "_recording", "_wandb"]],
];

/**
 * The package itself and `python -m lossless` may import everything; `wire` is types, and imports
 * nothing.
 */
const top = new Set(["__init__.py", "__main__.py", "wire.py"]);

export function forbiddenPythonImports(tree: Tree): string[] {
  return [...tree.keys()].filter(isOfPythonPackage).flatMap((path) => {
    const room = roomOf(path);
    if (room === undefined) {
      return top.has(nameOf(path)) ? [] : [`${path}: belongs into a package of its kind`];
    }
    const others = pythonImports(tree, path).filter((file) => !mayImport(room, file));
    return others.map((file) => `${path}: ${room} does not import ${file}`);
  });
}

function mayImport(room: string, file: string): boolean {
  const other = roomOf(file);
  if (other === room || nameOf(file) === "wire.py") return true;
  const floor = rooms.findIndex(([name]) => name === room);
  const above = rooms.slice(0, floor).map(([name]) => name);
  const named = rooms[floor]?.[1] ?? [];
  return other !== undefined && above.includes(other) && named.includes(other);
}

const nameOf = (path: string) => path.slice(pythonPackage.length + 1);
const roomOf = (path: string) =>
  nameOf(path).includes("/") ? nameOf(path).split("/")[0] : undefined;
