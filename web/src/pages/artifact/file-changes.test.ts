import assert from "node:assert/strict";
import { test } from "node:test";
import { checksumsIn, listOfChecksums, readChecksums } from "./checksums.ts";
import { changesOf, type KnownFiles } from "./file-changes.ts";

const sum = (letter: string) => letter.repeat(64);

function known(files: Record<string, [size: number, letter?: string]>): KnownFiles {
  const entries = Object.entries(files);
  const summed = entries.filter(([, [, letter]]) => letter !== undefined);
  return {
    files: entries.map(([name, [size]]) => ({ name, size })),
    checksums: new Map(summed.map(([name, [, letter]]) => [name, sum(letter!)])),
  };
}

test("what differs is known by size and checksum", () => {
  const before = known({ a: [1, "a"], b: [1, "b"], c: [1], d: [2], e: [0], gone: [3, "f"] });
  const after = known({ a: [1, "a"], b: [1, "c"], c: [1], d: [3], e: [0], new: [4] });
  const { changes, same } = changesOf(before, after);
  assert.equal(same, 2);
  assert.deepEqual(
    changes.map(({ kind, name, before: was, after: is }) => [name, kind, was, is]),
    [
      ["b", "changed", 1, 1],
      ["c", "unknown", 1, 1],
      ["d", "changed", 2, 3],
      ["gone", "removed", 3, undefined],
      ["new", "added", undefined, 4],
    ],
  );
});

test("checksums stand in the meta, or in a file that it names", () => {
  const meta = { sha256: { a: sum("a"), b: "none", c: 5 } };
  assert.deepEqual([...checksumsIn(meta)], [["a", sum("a")]]);
  assert.deepEqual([...checksumsIn({ sha256: null })], []);
  const list = { sha256: { SHA256SUMS: sum("a") } };
  const files = [{ name: "SHA256SUMS" }, { name: "x" }];
  assert.equal(listOfChecksums(list, files), "SHA256SUMS");
  assert.equal(listOfChecksums(list, [files[0]]), undefined);
  assert.equal(listOfChecksums(meta, files), undefined);
  const text = `${sum("a")}  a b\n\\${sum("b")}  x\\\\y\\nz\n${sum("c")} *c\nnone\n`;
  assert.deepEqual(
    [...readChecksums(text)],
    [
      ["a b", sum("a")],
      ["x\\y\nz", sum("b")],
      ["c", sum("c")],
    ],
  );
});
