import assert from "node:assert/strict";
import { test } from "node:test";
import { attributeLeaves, recordedLeaves } from "./recorded-leaves.ts";

const shown = (meta: string) =>
  [...recordedLeaves(meta)].map(({ path, kind, text }) => [path, kind, text]);
const identity = (value: string) => [...recordedLeaves(`{"x":${value}}`)][0].identity;

test("inner objects have leaves, a list and an empty object are one", () => {
  const meta = '{"a":{"b.c":{"":1},"d":[1,{"e":2}]},"f":{},"g":null,"h":"x","i":true}';
  assert.deepEqual(shown(meta), [
    ['a."b.c".""', "number", "1"],
    ["a.d", "list", '[1,{"e":2}]'],
    ["f", "object", "{}"],
    ["g", "null", "null"],
    ["h", "text", "x"],
    ["i", "boolean", "true"],
  ]);
});

test("names that are part of every object are keys like others", () => {
  assert.deepEqual(shown('{"__proto__":{"constructor":1},"toString":[{"__proto__":2}]}'), [
    ["__proto__.constructor", "number", "1"],
    ["toString", "list", '[{"__proto__":2}]'],
  ]);
});

test("a number is shown as it was written, and is the same however that is", () => {
  assert.deepEqual(shown('{"a":1234567890123456789,"b":[1.50,-0,1e300]}'), [
    ["a", "number", "1234567890123456789"],
    ["b", "list", "[1.50,-0,1e300]"],
  ]);
  const same = [
    ["1", "1.0", "1.000e0", "10e-1", "0.1E+1", "0.001e3"],
    ["0", "-0", "0.0", "0e5", "-0.00e-7"],
    ["-1500", "-1.5e3", "-15E2"],
    ["1234567890123456789", "1.234567890123456789e18", "12345678901234567890e-1"],
    ["[1,2.0]", "[1.0,2]"],
    ['[{"a":1,"b":2}]', '[{"b":2e0,"a":1.0}]'],
  ];
  const identities = same.map((texts) => new Set(texts.map(identity)));
  for (const [at, set] of identities.entries()) assert.equal(set.size, 1, same[at].join(" "));
  assert.equal(new Set(identities.flatMap((set) => [...set])).size, same.length);
});

test("values of different kinds, and neighbours beyond 2^53, are different", () => {
  const different = [
    "1",
    '"1"',
    "true",
    '"true"',
    "null",
    '"null"',
    "[]",
    '"[]"',
    "{}",
    "[1]",
    "[[1]]",
    '["1"]',
    "[1,2]",
    "[2,1]",
    "9007199254740992",
    "9007199254740993",
    "1e-300",
    "0",
    "-1",
  ];
  assert.equal(new Set(different.map(identity)).size, different.length);
});

test("a param that reads as a number is the number of a meta, with all of its digits", () => {
  const leafOf = (value: string) => [...attributeLeaves([{ kind: "param", key: "x", value }])][0];
  const numbers = [
    ["1e-1", "0.1"],
    ["+.5", "0.50"],
    ["-.5e1", "-5"],
    ["7.", "7"],
    ["3.E2", "300"],
    ["9007199254740993", "9007199254740993"],
  ];
  for (const [param, number] of numbers)
    assert.equal(leafOf(param).identity, identity(number), `${param} and ${number}`);
  for (const param of ["", "1e999", "nan", "0x1", "1 "])
    assert.deepEqual([leafOf(param).kind, leafOf(param).text], ["text", param]);
});
