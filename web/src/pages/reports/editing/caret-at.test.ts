import assert from "node:assert/strict";
import { test } from "node:test";
import { placeInSource } from "./caret-at.ts";

test("a click on drawn words is a place in their source", () => {
  const source = "## Loss\n\nThe **loss** falls, and the loss of [the run](/go) rises.\n\n- loss\n";
  const at = (before: string, behind: string, share: number) => {
    const place = placeInSource(source, { before, behind, share });
    return place === undefined ? undefined : `${source.slice(0, place)}|`.slice(-5);
  };
  assert.equal(at("The ", "", 0.1), "The |");
  assert.equal(at("lo", "ss", 0.15), "**lo|");
  assert.equal(at(" falls, and the lo", "ss of ", 0.5), "e lo|");
  // The same words are told apart by their place.
  assert.equal(at("lo", "ss", 0.98), "- lo|");
  assert.equal(at("the r", "un", 0.6), "he r|");
  assert.equal(at("drawn by", " a formula", 0.5), undefined);
  assert.equal(at("", "", 0), undefined);
});
