import assert from "node:assert/strict";
import { test } from "node:test";
import { plantedTree, root } from "../planted.ts";
import { dependenciesOf, installedFiles, type Lock, readLock } from "./installed.ts";

const lockOf = (rows: Record<string, object>) => new Map(Object.entries(rows)) as Lock;

test("what a workspace needs is found as Node finds it, nested packages first", () => {
  const lock = lockOf({
    cli: { dependencies: { a: "1", "@scope/other": "1" } },
    "node_modules/@scope/other": { link: true, resolved: "other" },
    other: { dependencies: { b: "1" } },
    "node_modules/a": { version: "1.0.0", dependencies: { b: "2" } },
    "node_modules/a/node_modules/b": { version: "2.0.0", peerDependencies: { c: "1" } },
    "node_modules/b": { version: "1.0.0" },
    "node_modules/c": { version: "1.0.0" },
    "node_modules/only-for-tests": { version: "1.0.0" },
  });
  const found = dependenciesOf(lock, ["cli"]).map(({ path, version }) => `${path} ${version}`);
  assert.deepEqual(found, [
    "node_modules/a 1.0.0",
    "node_modules/a/node_modules/b 2.0.0",
    "node_modules/b 1.0.0",
    "node_modules/c 1.0.0",
  ]);
});

test("a package that may be missing may be; one that is needed may not", () => {
  const optional = { optionalDependencies: { a: "1" }, peerDependencies: { b: "1" } };
  const meta = { peerDependenciesMeta: { b: { optional: true } } };
  assert.deepEqual(dependenciesOf(lockOf({ cli: { ...optional, ...meta } }), ["cli"]), []);
  assert.throws(
    () => dependenciesOf(lockOf({ cli: { dependencies: { a: "1" } } }), ["cli"]),
    /package-lock.json has no a, which cli needs/,
  );
});

test("the server needs Fastify, and no tool of the tests comes with it", () => {
  const names = dependenciesOf(readLock(root), ["cli", "server"]).map(({ name }) => name);
  assert.ok(names.includes("fastify"));
  assert.deepEqual(
    names.filter((name) => /^(typescript|playwright-core|esbuild|node-linux-.*)$/.test(name)),
    [],
  );
});

test("another version in node_modules than in the lock is refused; types and nested ones stay out", async () => {
  await using tree = await plantedTree({
    "node_modules/a/package.json": '{"version": "1.0.0"}',
    "node_modules/a/index.js": "",
    "node_modules/a/index.d.ts": "",
    "node_modules/a/index.js.map": "",
    "node_modules/a/node_modules/b/package.json": "{}",
  });
  const row = { path: "node_modules/a", name: "a", license: "MIT", integrity: "sha512-" };
  const files = installedFiles(tree.directory, [{ ...row, version: "1.0.0" }]);
  assert.deepEqual(files.map(({ path }) => path).sort(), [
    "node_modules/a/index.js",
    "node_modules/a/package.json",
  ]);
  assert.throws(
    () => installedFiles(tree.directory, [{ ...row, version: "1.0.1" }]),
    /is a 1.0.0, package-lock.json says 1.0.1/,
  );
});
