import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigKind, configLeaves } from "./config.ts";

const shown = (meta: object) =>
  configLeaves(meta).map(({ path, element, kind, number, text }) => [
    path,
    element,
    kind,
    number,
    text,
  ]);

test("every kind of value is a leaf, lists also by element, inner objects by their members", () => {
  const { null: nothing, boolean, number, text, list, object } = ConfigKind;
  const meta = {
    lr: 3e-4,
    on: true,
    none: null,
    name: "muon",
    optimizer: { betas: [0.9, "x", null, [1], { a: 1 }], empty: {} },
  };
  assert.deepEqual(shown(meta), [
    ["lr", -1, number, 3e-4, "0.0003"],
    ["on", -1, boolean, 1, "true"],
    ["none", -1, nothing, null, "null"],
    ["name", -1, text, null, "muon"],
    ["optimizer.betas", -1, list, null, '[0.9,"x",null,[1],{"a":1}]'],
    ["optimizer.betas", 0, number, 0.9, "0.9"],
    ["optimizer.betas", 1, text, null, "x"],
    ["optimizer.betas", 2, nothing, null, "null"],
    ["optimizer.empty", -1, object, null, "{}"],
  ]);
});

test("a path tells member names with dots, quotes and blanks from levels", () => {
  const meta = { "a.b": { "": 1 }, a: { b: 2 }, 'say "x"': { "größe/λ": 3 }, "a\0": 4 };
  assert.deepEqual(
    configLeaves(meta).map(({ path }) => path),
    ['"a.b".""', "a.b", '"say \\"x\\"".größe/λ', '"a\uFFFD"'],
  );
});

test("long texts are cut between characters and say so, and U+0000 is replaced", () => {
  const [{ text: whole }, { text: cut }, { text: zero }] = configLeaves({
    whole: "é".repeat(128),
    cut: "é".repeat(129),
    zero: "a\0b",
  });
  assert.equal(whole, "é".repeat(128));
  assert.equal(cut, `${"é".repeat(126)}…`);
  assert.equal(zero, "a\uFFFDb");
});

test("rows and paths beyond the limits are left out", () => {
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`k${at}`, at]));
  assert.equal(configLeaves(many).length, 1_000);
  assert.equal(configLeaves({ list: Array.from({ length: 2_000 }, () => 0) }).length, 1_000);
  const paths = configLeaves({ [`a${"b".repeat(512)}`]: 1, c: 2 }).map(({ path }) => path);
  assert.deepEqual(paths, ["c"]);
});

test("of hundreds of packages only the known ones are leaves, and not where the diff is stored", () => {
  const packages = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`package-${at}`, "1"]),
  );
  const meta = {
    _source: { commit: "abc", diff: { version: "1", sha256: "9b" } },
    _environment: { host: "h", packages: { ...packages, torch: "2.9.0", "scikit-learn": "1.9" } },
    packages,
  };
  const paths = configLeaves(meta).map(({ path }) => path);
  assert.deepEqual(
    paths.filter((path) => path.startsWith("_")),
    [
      "_source.commit",
      "_environment.host",
      "_environment.packages.torch",
      "_environment.packages.scikit-learn",
    ],
  );
  assert.equal(paths.length, 304);
});
