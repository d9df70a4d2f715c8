import assert from "node:assert/strict";
import { test } from "node:test";
import type { ComparedValue } from "@lossless/protocol";
import { differing } from "../../chart/groups/differing.ts";
import { metaFieldsOf, metaTestsOf } from "./meta-fields.ts";

const experiments = ["a", "b"].map((experimentId) => {
  return { experimentId, slug: experimentId, name: null };
});
const value = (kind: ComparedValue["kind"], text: string, isCut = false) => ({ kind, text, isCut });

test("a meta is its leaves, by the fields of the query language, with all digits", () => {
  const values = {
    "meta.lr": value("number", "0.1"),
    "meta.seed": value("number", "9007199254740993"),
    "meta.optimizer.name": value("text", "adamw"),
    "meta.optimizer.betas": value("list", "[0.9,0.95]"),
    'meta.optimizer."a.b"': value("null", "null"),
    "meta.empty": value("object", "{}"),
    "meta.digits": value("text", "1"),
    "meta.word": value("text", "true"),
    "meta.words": value("text", "two words"),
  };
  const keys = Object.entries(values).map(([field, one]) => {
    return { field, values: [one], valueOf: [0, null] };
  });
  const fields = metaFieldsOf({ experiments, keys });
  assert.deepEqual(
    [...fields.get("a")!],
    [
      ["meta.lr", "0.1"],
      ["meta.seed", "9007199254740993"],
      ["meta.optimizer.name", "adamw"],
      ["meta.optimizer.betas", "[0.9,0.95]"],
      ['meta.optimizer."a.b"', "null"],
      ["meta.empty", "{}"],
      ["meta.digits", '"1"'],
      ["meta.word", '"true"'],
      ["meta.words", '"two words"'],
    ],
  );
  assert.equal(fields.get("b")!.size, 0);
});

test("long values that begin alike are two", () => {
  const values = [value("text", "same", true), value("text", "same", true)];
  const keys = [{ field: "meta.note", values, valueOf: [0, 1] }];
  const [one, other] = [...metaFieldsOf({ experiments, keys }).values()];
  assert.notEqual(one.get("meta.note"), other.get("meta.note"));
});

test("what differs is also what some do not have", () => {
  const [one, two] = [value("number", "1"), value("number", "2")];
  const keys = [
    { field: "meta.lr", values: [one], valueOf: [0, 0] },
    { field: "meta.seed", values: [one, two], valueOf: [0, 1] },
    { field: "meta.extra", values: [value("null", "null")], valueOf: [null, 0] },
  ];
  const fields = metaFieldsOf({ experiments, keys });
  assert.deepEqual(differing([...fields.values()]), ["meta.extra", "meta.seed"]);
});

test("who has a value is found by a test, where the language can say it", () => {
  const values = [value("number", "0.1"), value("text", "1"), value("text", "long", true)];
  const tests = metaTestsOf({ keys: [{ field: "meta.lr", values, valueOf: [0, 1] }] });
  assert.deepEqual(
    [...tests.get("meta.lr")!],
    [
      ["0.1", "meta.lr = 0.1"],
      ['"1"', 'meta.lr = "1"'],
    ],
  );
});
