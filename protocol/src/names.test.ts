import assert from "node:assert/strict";
import { test } from "node:test";
import { pathProblem } from "./names.ts";

test("paths are measured in bytes, whole and word by word, plain ones and others alike", () => {
  for (const letter of ["a", "é", "\u{1f600}"]) {
    const bytes = Buffer.byteLength(letter);
    const word = (count: number) =>
      letter.repeat(Math.floor(count / bytes)) + "x".repeat(count % bytes);
    const words = (...counts: number[]) => counts.map(word).join("/");
    for (const fits of [words(255), words(1, 255, 1), words(255, 255, 255, 255), words(1, 2)]) {
      assert.equal(pathProblem(fits), undefined, fits);
    }
    for (const long of [words(256), words(1, 256), words(256, 1), words(255, 300, 1)]) {
      assert.match(pathProblem(long)!, /words of at most 255 bytes/, long);
    }
    assert.equal(pathProblem(words(204, 204, 204, 204, 204)), undefined);
    assert.match(pathProblem(words(205, 204, 204, 204, 204))!, /at most 1024 bytes/);
  }
  assert.match(pathProblem("\ud800")!, /well-formed/);
});
