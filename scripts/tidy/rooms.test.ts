import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../planted.ts";
import { doors, floors, never, packages } from "./floors.ts";
import { floorsOf, forbiddenImports, roomOf } from "./rooms.ts";

/** The faults of a file with this one import. */
const planted = (path: string, name: string, statement = `export { x } from "${name}";`) =>
  forbiddenImports(new Map([[path, `${statement}\n`]]));

/** A file of a room, existing or planted, and the name by which another imports it. */
const fileIn = (place: string) => (place.endsWith(".ts") ? place : `${place}/planted.ts`);
const nameFrom = (path: string, target: string) =>
  `${"../".repeat(path.split("/").length - 1)}${target}`;
const planting = (path: string, target: string) => planted(path, nameFrom(path, target));

const placeOf = (base: string, room: string) => {
  if (room === ".") return base === "" ? "test" : base;
  const workspaces = base === "" ? `${room}/src` : `${base}/${room}`;
  return workspaces;
};

const pairs = Object.keys(floors).flatMap((base) => {
  const rooms = floorsOf(base).flatMap((names, floor) => names.map((room) => ({ room, floor })));
  return rooms.flatMap((from) =>
    rooms.filter((to) => to.room !== from.room).map((to) => ({ base, from, to })),
  );
});

test("no room imports one of its own floor or of a higher one", () => {
  const upward = pairs.filter(({ from, to }) => to.floor <= from.floor);
  assert.ok(upward.length > 400, String(upward.length));
  const passed = upward.filter(({ base, from, to }) => {
    const path = fileIn(placeOf(base, from.room));
    const target = fileIn(placeOf(base, to.room));
    // Restrictions of black-box suites are in a table of their own.
    return !path.startsWith("test/") && planting(path, target).length === 0;
  });
  assert.deepEqual(passed, []);
});

test("a room imports itself, and lower floors but for the rows that name them", () => {
  const named = (path: string, target: string) =>
    [...never.map(({ to }) => to), ...doors.map(({ room }) => [room])]
      .flat()
      .some((place) => `${target}/`.startsWith(`${place}/`)) || path.startsWith("test/");
  const refused = pairs
    .filter(({ from, to }) => to.floor > from.floor)
    .map(({ base, from, to }) => [fileIn(placeOf(base, from.room)), fileIn(placeOf(base, to.room))])
    .filter(
      ([path = "", target = ""]) => !named(path, target) && planting(path, target).length > 0,
    );
  assert.deepEqual(refused, []);
  assert.deepEqual(planted("server/src/points/seal.ts", "./chunk.ts"), []);
});

test("every row of what is never imported is held, and what it excepts is not", () => {
  for (const { from, to, except = [], why } of never) {
    for (const path of from.map(workspaceFile)) {
      for (const target of to.map(workspaceFile)) {
        const faults = planting(path, target);
        assert.ok(faults.length > 0, `${path} imports ${target}`);
      }
    }
    for (const path of except) {
      assert.ok(existsSync(join(root, path)), `${path} is there`);
      const faults = to.map((target) => planting(fileIn(path), workspaceFile(target)));
      assert.ok(!faults.flat().some((fault) => fault.includes(why)), faults.join("\n"));
    }
  }
});

const workspaceFile = (place: string) =>
  fileIn(/^(client|web|cli|server|protocol)$/.test(place) ? `${place}/src` : place);

test("behind a door others see the files it names, and nothing else", () => {
  for (const { room, files, open } of doors) {
    const outside = "server/src/service-planted";
    for (const file of files) {
      assert.ok(existsSync(join(root, room, file)), `${room}/${file} is there`);
    }
    const inner = `${room}/planted.ts`;
    const saysDoor = (path: string) => planting(path, inner).some((fault) => fault.includes(inner));
    assert.ok(saysDoor(`${outside}.ts`), room);
    for (const path of open) assert.ok(!saysDoor(fileIn(path)), `${path} sees ${room}`);
    for (const file of files) {
      const faults = planting(`${outside}.ts`, `${room}/${file}`);
      assert.ok(!faults.some((fault) => fault.includes(file)), faults.join("\n"));
    }
  }
});

test("a package is imported where the table says, and one it does not name is not", () => {
  const places = ["protocol/src", "client/src", "cli/src", "web/src", "server/src/ground"];
  for (const [name, owners] of Object.entries(packages)) {
    const specifier = /[-:/]$/.test(name) ? `${name}planted` : name;
    for (const owner of owners) assert.deepEqual(planted(fileIn(owner), specifier), []);
    const strangers = places.filter(
      (place) => !owners.some((owner) => `${place}/`.startsWith(`${owner}/`)),
    );
    for (const place of strangers) assert.notDeepEqual(planted(fileIn(place), specifier), [], name);
  }
  assert.notDeepEqual(planted("server/src/ground/planted.ts", "left-pad"), []);
});

test("each way of importing is seen, types included", () => {
  const statements = [
    'import { x } from "../http/server.ts";',
    'import type {\n  X,\n  Y,\n} from "../http/server.ts";',
    'import * as x from "../http/server.ts";',
    'import "../http/server.ts";',
    'export type { X } from "../http/server.ts";',
    'export * from "../http/server.ts";',
    'const x = await import("../http/server.ts");',
    'type X = import("../http/server.ts").X;',
    'import { x } from "@lossless/server/http/server";',
  ];
  for (const statement of statements) {
    assert.equal(planted("server/src/points/seal.ts", "", statement).length, 1, statement);
  }
});

test("tests and fixtures of a room see everything; a new folder has to be given a floor", () => {
  assert.deepEqual(planted("server/src/points/seal.test.ts", "../http/server.ts"), []);
  assert.deepEqual(planted("server/src/points/planted.fixture.ts", "../http/server.ts"), []);
  assert.equal(planted("server/src/planted/a.ts", "../ground/errors.ts").length, 1);
});

test("every room of the tables is there", () => {
  for (const base of Object.keys(floors)) {
    const rooms = floorsOf(base).flat();
    assert.deepEqual(rooms, [...new Set(rooms)]);
    for (const room of rooms) assert.ok(existsSync(join(root, base, room)), `${base}/${room}`);
  }
});

test("ARCHITECTURE draws every room of the server, the highest floor first", async () => {
  const text = await readFile(join(root, "ARCHITECTURE.md"), "utf8");
  const [, drawing = ""] = /^server\/src\/\n([^]*?)^\S/m.exec(text) ?? [];
  const order = floorsOf("server/src");
  const drawn = [...drawing.matchAll(/^ {2}((?:[\w/-]+(?:\/|\.ts) )+) /gm)].map(([, names = ""]) =>
    names
      .trim()
      .split(" ")
      .map((name) => name.replace(/\/$/, "")),
  );
  const missing = order.flat().filter((room) => !drawn.flat().includes(room));
  assert.deepEqual(missing, []);
  let lowest = 0;
  for (const names of drawn) {
    const rooms = names.map((name) => roomOf("server/src", `server/src/${name}`) ?? name);
    const levels = rooms.map((room) => order.findIndex((floor) => floor.includes(room)));
    assert.ok(!levels.includes(-1), `${names.join(" ")} are rooms`);
    assert.ok(Math.min(...levels) >= lowest, `${names.join(" ")} is drawn below a lower floor`);
    lowest = Math.max(...levels);
  }
});
