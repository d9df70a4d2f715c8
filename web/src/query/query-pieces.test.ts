import assert from "node:assert/strict";
import { test } from "node:test";
import { readQuery } from "@lossless/protocol/query-language";
import { piecesOf } from "./query-pieces.ts";

function pieces(query: string): string[] {
  const { marks, error } = readQuery(query);
  const found = piecesOf(query, marks, error?.position);
  assert.equal(found.map(({ text }) => text).join(""), query);
  return found.filter(({ role }) => role !== "rest").map(({ role, text }) => `${role} ${text}`);
}

test("a query is coloured by what its words are", () => {
  assert.deepEqual(pieces(' meta.lr >= 0.001 and not "a b"'), [
    "field meta.lr",
    "operator >=",
    "value 0.001",
    "keyword and",
    "keyword not",
    'search "a b"',
  ]);
});

test("what cannot be read is wrong from its place on", () => {
  assert.deepEqual(pieces("status = runing and x"), [
    "field status",
    "operator =",
    "wrong runing and x",
  ]);
  assert.deepEqual(pieces("points >"), ["field points", "operator >"]);
});
