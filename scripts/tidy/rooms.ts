import { doors, floors, never, packages } from "./floors.ts";
import { importedFile, importedNames } from "./imports.ts";
import { isTest, isTypeScript, type Tree } from "./tree.ts";

/** Imports that `floors.ts` forbids, and files of the server that it does not name. */
export function forbiddenImports(tree: Tree): string[] {
  return [...tree.keys()].filter(isHeld).flatMap((path) => {
    const isHomeless = isIn(path, "server/src") && roomOf("server/src", path) === undefined;
    const names = importedNames(tree.get(path) ?? "");
    const faults = names.flatMap((name) => faultOf(path, name) ?? []);
    if (isHomeless) faults.push("stands in no room of scripts/tidy/floors.ts");
    return faults.map((fault) => `${path}: ${fault}`);
  });
}

/**
 * Whether a file is checked: tests beside files, with their fixtures, may import everything;
 * black-box suites may not.
 */
function isHeld(path: string): boolean {
  if (path.startsWith("test/")) return isTypeScript(path);
  return isTypeScript(path) && isProduct(path) && !isTest(path) && !path.endsWith(".fixture.ts");
}

const isProduct = (path: string) => /^(protocol|client|server|cli|web)\/(src\/|build)/.test(path);

function faultOf(path: string, name: string): string | undefined {
  const target = importedFile(path, name);
  if (target === undefined) return packageFault(path, name);
  const base = basesOf(path).find((each) => isIn(target, each) && !isDownward(each, path, target));
  if (base !== undefined) {
    return `${roomOf(base, path)} does not import ${roomOf(base, target)}: it is on no lower floor`;
  }
  const row = never.find(
    ({ from, to, except = [] }) =>
      isInOne(path, from) && isInOne(target, to) && !isInOne(path, except),
  );
  if (row !== undefined) return `imports ${target}: ${row.why}`;
  const door = doors.find(({ room }) => isIn(target, room) && !isIn(path, room));
  if (door === undefined || isInOne(path, door.open)) return undefined;
  if (
    isInOne(
      target,
      door.files.map((file) => `${door.room}/${file}`),
    )
  )
    return undefined;
  return `imports ${target}: ${door.why}`;
}

function packageFault(path: string, name: string): string | undefined {
  if (!isProduct(path)) return undefined;
  const known = Object.keys(packages).find(
    (each) => name === each || name.startsWith(prefix(each)),
  );
  if (known === undefined) return `imports ${name}, which scripts/tidy/floors.ts gives to no room`;
  if (isInOne(path, packages[known] ?? [])) return undefined;
  return `imports ${name}: only ${packages[known]?.join(", ")} may`;
}

const prefix = (name: string) => (/[-:/]$/.test(name) ? name : `${name}/`);

/** Tables of `floors.ts` that contain a path. */
const basesOf = (path: string) => Object.keys(floors).filter((base) => isIn(path, base));

function isDownward(base: string, path: string, target: string): boolean {
  const [from, to] = [roomOf(base, path), roomOf(base, target)];
  if (from === undefined || to === undefined) return true;
  return from === to || floorOf(base, from) < floorOf(base, to);
}

/**
 * Finds the longest entry of a table that is or contains a path; "." for paths that no entry names.
 */
export function roomOf(base: string, path: string): string | undefined {
  const rooms = floorsOf(base).flat();
  const fitting = rooms.filter((room) => isIn(path, base === "" ? room : `${base}/${room}`));
  const [longest] = fitting.sort((one, other) => other.length - one.length);
  return longest ?? rooms.find((room) => room === ".");
}

/** The rooms of a table, highest floor first. */
export function floorsOf(base: string): string[][] {
  const lines = (floors[base] ?? "").trim().split("\n");
  return lines.map((line) => line.trim().split(" "));
}

function floorOf(base: string, room: string): number {
  return floorsOf(base).findIndex((rooms) => rooms.includes(room));
}

const isIn = (path: string, place: string) =>
  place === "" || path === place || path.startsWith(`${place}/`);
const isInOne = (path: string, places: readonly string[]) =>
  places.some((place) => isIn(path, place));
