import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExperimentNode, FolderNode, FolderTree } from "@lossless/client";
import { foldersBelow, foldersOf, rowsOf, selected, type Selection } from "./rows.ts";

const everything: Selection = {
  folders: undefined,
  status: undefined,
  text: "",
  sort: "slug",
  isDescending: false,
};

function experiment(slug: string, more: Partial<ExperimentNode> = {}): ExperimentNode {
  const times = { createdAtMs: 1, updatedAtMs: 1 };
  return { experimentId: slug, slug, description: "", status: "done", ...times, ...more };
}

function folder(name: string, folders: FolderNode[], experiments: ExperimentNode[]): FolderNode {
  return { folderId: name, name, parentFolderId: null, folders, experiments };
}

const tree: FolderTree = {
  experiments: [experiment("root", { status: "error", updatedAtMs: 5 })],
  folders: [
    folder("a", [folder("b", [], [experiment("deep", { updatedAtMs: 9 })])], [experiment("in-a")]),
    folder("c", [], [experiment("Muon", { description: "a faster one", status: "running" })]),
  ],
};

function found(selection: Partial<Selection>): string[] {
  return selected(rowsOf(tree), { ...everything, ...selection }).map(({ slug }) => slug);
}

test("a folder means all below it", () => {
  assert.deepEqual(found({ folders: foldersBelow(tree, "a") }), ["deep", "in-a"]);
  assert.deepEqual(found({ folders: foldersBelow(tree, "b") }), ["deep"]);
  assert.deepEqual(
    foldersOf(tree).map(({ name, depth, count }) => [name, depth, count]),
    [
      ["a", 0, 2],
      ["b", 1, 1],
      ["c", 0, 1],
    ],
  );
});

test("all words are found, in names, folders and descriptions, whatever their case", () => {
  assert.deepEqual(found({ text: "muon FASTER" }), ["Muon"]);
  assert.deepEqual(found({ text: "a/b" }), ["deep"]);
  assert.deepEqual(found({ text: "muon slower" }), []);
  assert.deepEqual(found({ status: "error" }), ["root"]);
});

test("rows are sorted, and what is equal by name", () => {
  assert.deepEqual(found({ sort: "updated", isDescending: true }), [
    "deep",
    "root",
    "Muon",
    "in-a",
  ]);
  assert.deepEqual(found({ sort: "folder" }), ["root", "in-a", "deep", "Muon"]);
});
