import assert from "node:assert/strict";
import { test } from "node:test";
import { distinctParts, fitted, namedEnds } from "./end-names.ts";

test("names stand beside the ends of lines where there is room, the raised one's always", () => {
  const ends = [10, 15, 40, -3, 101, NaN, 54].map((top, line) => ({ line, top }));
  const placesOf = (raised?: number) =>
    namedEnds(ends, 100, raised).map(({ line, top }) => [line, top]);
  assert.deepEqual(placesOf(), [
    [0, 10],
    [1, 24],
    [2, 40],
    [6, 54],
  ]);
  assert.deepEqual(placesOf(1)[0], [1, 15]);
  const crowd = Array.from({ length: 9 }, (_, line) => ({ line, top: 50 }));
  assert.deepEqual(
    namedEnds(crowd, 100, undefined).map(({ top }) => top),
    [50, 36, 64],
  );
});

test("what all names have in common is left out, by whole words", () => {
  assert.deepEqual(distinctParts(["sweep/lr0.1-s1", "sweep/lr0.1-s2"]), ["s1", "s2"]);
  assert.deepEqual(distinctParts(["lr0.1", "lr0.2"]), ["lr0.1", "lr0.2"]);
  assert.deepEqual(distinctParts(["opt=lion width=256 depth=6", "opt=muon width=512 depth=6"]), [
    "lion 256",
    "muon 512",
  ]);
  assert.deepEqual(distinctParts(["run-1-long", "run-2-long"]), ["1", "2"]);
  assert.deepEqual(distinctParts(["a/", "a/b"]), ["a/", "a/b"]);
  assert.deepEqual(distinctParts(["a/b"]), ["a/b"]);
  assert.deepEqual(distinctParts([]), []);
});

test("a long name loses its middle", () => {
  const width = (text: string) => Array.from(text).length;
  assert.equal(fitted("2024-10-10_Muon", 20, width), "2024-10-10_Muon");
  assert.equal(fitted("2024-10-10_Muon", 9, width), "20…0_Muon");
  assert.equal(fitted("𝔘𝔫𝔦𝔠𝔬𝔡𝔢", 4, width), "𝔘…𝔡𝔢");
  assert.equal(fitted("long", 0, width), "");
});
