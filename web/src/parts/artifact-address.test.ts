import assert from "node:assert/strict";
import { test } from "node:test";
import { artifactAddress, crumbsOf } from "./artifact-address.ts";

test("every folder on the way has an address", () => {
  assert.deepEqual(
    crumbsOf("a/b c/d").map(({ word, address }) => [word, address]),
    [
      ["Artifacts", "/artifacts"],
      ["a", "/artifacts?under=a%2F"],
      ["b c", "/artifacts?under=a%2Fb+c%2F"],
    ],
  );
  assert.equal(crumbsOf("a/b/").at(-1)?.word, "b");
  assert.equal(crumbsOf("").length, 1);
});

test("an address names what it shows, whatever is in the name", () => {
  const { searchParams } = new URL(artifactAddress("a&b=?#", { version: "1" }), "http://x");
  assert.deepEqual(
    [...searchParams],
    [
      ["name", "a&b=?#"],
      ["version", "1"],
    ],
  );
});
