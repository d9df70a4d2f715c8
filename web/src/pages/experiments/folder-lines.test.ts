import assert from "node:assert/strict";
import { test } from "node:test";
import { type CountedFolder, Folders } from "./folder-lines.ts";

function folder(folderId: string, parentFolderId: string | null = null): CountedFolder {
  return {
    folderId,
    parentFolderId,
    name: folderId.toUpperCase(),
    experiments: 0,
    experimentsBelow: 0,
  };
}

const folders = new Folders([folder("a"), folder("b", "a"), folder("c", "b"), folder("d")]);

test("lines are those whose folders above are open", () => {
  const names = (open: string[]) => folders.lines(new Set(open)).map(({ folderId }) => folderId);
  assert.deepEqual(names([]), ["a", "d"]);
  assert.deepEqual(names(["a"]), ["a", "b", "d"]);
  assert.deepEqual(names(["b"]), ["a", "d"]);
  assert.deepEqual(names(["a", "b", "c"]), ["a", "b", "c", "d"]);
  const [first, second] = folders.lines(new Set(["a"]));
  assert.deepEqual([first.level, first.isOpen, second.level, second.isOpen], [1, true, 2, false]);
});

test("a folder has its path, and stands within those above it", () => {
  assert.equal(folders.path("c"), "A/B/C");
  assert.equal(folders.path(null), "");
  assert.equal(folders.path("gone"), "");
  assert.equal(folders.isWithin("c", "a"), true);
  assert.equal(folders.isWithin("a", "a"), true);
  assert.equal(folders.isWithin("a", "c"), false);
  assert.equal(folders.isWithin(null, "a"), false);
});

test("folders are found by their paths, shallow ones first", () => {
  const paths = (text: string, most = 9) => folders.found(text, most).map(({ path }) => path);
  assert.deepEqual(paths(""), ["A", "D", "A/B", "A/B/C"]);
  assert.deepEqual(paths("/b"), ["A/B", "A/B/C"]);
  assert.deepEqual(paths("", 2), ["A", "D"]);
});

test("an address may name a folder by its path, or by a name that only one has", () => {
  assert.equal(folders.named("A/B"), "b");
  assert.equal(folders.named("C"), "c");
  assert.equal(folders.named("E"), undefined);
  const twice = new Folders([folder("a"), folder("b", "a"), { ...folder("x"), name: "B" }]);
  assert.equal(twice.named("B"), "x");
  const both = new Folders([
    folder("a"),
    { ...folder("b", "a") },
    { ...folder("c", "a"), name: "B" },
  ]);
  assert.equal(both.named("B"), undefined);
});
