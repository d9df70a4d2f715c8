import assert from "node:assert/strict";
import { test } from "node:test";
import { diffText } from "./diff-lines.ts";

const diff = [
  "diff --git a/train.py b/train.py",
  "index 1..2 100644",
  "--- a/train.py",
  "+++ b/train.py",
  "@@ -1,3 +1,3 @@ def main():",
  " a",
  "--- removed, though it looks like a file",
  "+++ added",
  " c",
  "@@ -9 +9 @@",
  "-old",
  "\\ No newline at end of file",
  "+new",
  "diff --git a/b.bin b/b.bin",
  "Binary files a/b.bin and b/b.bin differ",
  "",
].join("\n");

test("what a line is depends on where it stands", () => {
  const { lines, files, added, removed, isCut } = diffText(diff);
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    "head head head head place same removed added same place removed place added head head".split(
      " ",
    ),
  );
  assert.deepEqual([files, added, removed, isCut], [2, 2, 2, false]);
  assert.equal(lines.map(({ text }) => `${text}\n`).join(""), diff);
});

test("a long diff is cut, and says so", () => {
  const { lines, isCut } = diffText("+x\n".repeat(6_000));
  assert.deepEqual([lines.length, isCut], [5_000, true]);
  assert.deepEqual(diffText("").lines, []);
});
