import assert from "node:assert/strict";
import { test } from "node:test";
import {
  placeholderOf,
  withoutPlaceholders,
  withPicture,
  withPictures,
  wordsOfFile,
} from "./taken-pictures.ts";

test("a picture's words are its file's name, and what is pasted has none", () => {
  assert.equal(wordsOfFile("loss curve.final.png"), "loss curve.final");
  assert.equal(wordsOfFile("image.png"), "picture");
  assert.equal(wordsOfFile("a[1]_b\\c.webp"), "a(1)_b/c");
  assert.equal(wordsOfFile(""), "picture");
  assert.equal(wordsOfFile("`cost` in $<b>.png"), "cost in b>");
  assert.equal(wordsOfFile("$.png"), "picture");
});

test("a place is kept for a picture that is sent, and given back if it is refused", () => {
  const place = placeholderOf("fig", 3);
  const text = `before ${place} behind`;
  const sent = withPicture(text, place, "fig", "0".repeat(32));
  assert.equal(sent, `before ![fig](picture:${"0".repeat(32)}) behind`);
  assert.equal(withPicture(text, place, "fig", undefined), "before  behind");
  assert.equal(withPicture("removed since", place, "fig", "1".repeat(32)), "removed since");
  assert.equal(withoutPlaceholders(`${text} ${place}![fig](a)`), "before  behind ![fig](a)");
});

test("pictures beside a table are no cells of it, and in a line they stay in the line", () => {
  const table = "| lr | loss |\n|---|---|\n| 0.1 | 2 |";
  /** The caret is at the sign. */
  const placed = (text: string, ...pictures: string[]) =>
    withPictures(text.replace("‸", ""), text.indexOf("‸"), pictures.length ? pictures : ["![a]"]);
  assert.equal(placed(`${table}\n‸`), `${table}\n\n![a]`);
  assert.equal(placed(`${table}\n‸`, "![a]", "![b]"), `${table}\n\n![a]\n\n![b]`);
  assert.equal(placed(`${table}‸`), `${table}\n\n![a]`);
  assert.equal(placed(`${table}\n\n‸`), `${table}\n\n![a]`);
  assert.equal(placed(`${table}\n‸\nmore`), `${table}\n\n![a]\n\nmore`);
  assert.equal(
    placed(`a | b\n--|--\n1 | 2\n  ‸ \n\nmore`),
    `a | b\n--|--\n1 | 2\n\n  ![a]\n\nmore`,
  );
  assert.equal(placed(`‸${table}`), `![a]\n\n${table}`);
  assert.equal(placed(`‸\n${table}`), `![a]\n\n${table}`);
  assert.equal(placed("| 0.1 ‸| 2 |", "![a]", "![b]"), "| 0.1 ![a] ![b]| 2 |");
  const [head, delimiters, row] = table.split("\n");
  for (const rows of [`${head}\n${delimiters}‸\n${row}`, `${head}\n‸${delimiters}\n${row}`])
    assert.equal(placed(`${rows}\nmore`), `${table}\n\n![a]\n\nmore`);
  assert.equal(placed(`text\n‸${table}`), `text\n\n![a]\n\n${table}`);
  assert.equal(placed("Before ‸behind."), "Before ![a]behind.");
  assert.equal(placed("Before ‸"), "Before ![a]");
  assert.equal(placed(String.raw`x\|‸`), String.raw`x\|![a]`);
  assert.equal(placed("‸"), "![a]");
});
