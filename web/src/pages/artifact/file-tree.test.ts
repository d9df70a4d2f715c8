import assert from "node:assert/strict";
import { test } from "node:test";
import { fileLines, foundFiles } from "./file-tree.ts";

const files = ["b.txt", "a/10.bin", "a/9.bin", "a/b/c", "__proto__/x"].map((name, at) => ({
  name,
  size: at + 1,
}));
const shown = (lines: ReturnType<typeof fileLines>) =>
  lines.map(({ level, word, bytes, files: count }) => [level, word, bytes, count]);

test("directories stand before files, with what is below them; numbers by their size", () => {
  assert.deepEqual(shown(fileLines(files, () => true)), [
    [1, "__proto__", 5, 1],
    [2, "x", 5, 1],
    [1, "a", 9, 3],
    [2, "b", 4, 1],
    [3, "c", 4, 1],
    [2, "9.bin", 3, 1],
    [2, "10.bin", 2, 1],
    [1, "b.txt", 1, 1],
  ]);
});

test("what is closed has no lines", () => {
  assert.deepEqual(
    fileLines(files, (directory) => directory === "a/").map(({ path }) => path),
    ["__proto__/", "a/", "a/b/", "a/9.bin", "a/10.bin", "b.txt"],
  );
});

test("a search is a list of whole paths", () => {
  assert.deepEqual(
    foundFiles(files, " BIN ").map(({ word }) => word),
    ["a/9.bin", "a/10.bin"],
  );
});
