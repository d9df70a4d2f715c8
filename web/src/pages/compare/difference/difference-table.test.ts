import assert from "node:assert/strict";
import { test } from "node:test";
import type { ComparedKey, ComparedValue } from "@lossless/protocol";
import { parseQuery } from "@lossless/protocol/query-language";
import type { Compared } from "../use-compared.ts";
import { columnsOf } from "./column.ts";
import { csvText } from "../../../parts/csv.ts";
import { countsText, differenceCsv, differenceRows, filtersOf } from "./difference-table.ts";
import { replyOf } from "./reply.fixture.ts";

const value = (kind: ComparedValue["kind"], text: string, isCut = false) => ({ kind, text, isCut });
const lr: ComparedKey = {
  field: "meta.lr",
  values: [value("number", "0.1"), value("text", "0.1")],
  valueOf: [1, 0, null],
};
const compared = (reference: string, ids = ["a", "b", "c"]) => {
  const experiments = ids.map((experimentId) => ({
    experimentId,
    kind: { colour: 1, pattern: 0 },
  }));
  const chosen = experiments.find(({ experimentId }) => experimentId === reference);
  return { experiments, reference: chosen } as unknown as Compared;
};

test("the reference stands first, and what differs from it is marked", () => {
  const reply = replyOf({ keys: [lr] });
  const columns = columnsOf(reply, compared("b"));
  assert.deepEqual(
    columns.map(({ title, isReference }) => [title, isReference]),
    [
      ["slug-b", true],
      ["slug-a", false],
      ["slug-c", false],
    ],
  );
  const [{ title, cells }] = differenceRows(reply, columns);
  assert.equal(title, "lr");
  assert.deepEqual(
    cells.map(({ text, isMissing, differs }) => [text, isMissing, differs]),
    [
      ["0.1", false, false],
      ['"0.1"', false, true],
      ["–", true, true],
    ],
  );
});

test("columns follow the comparison, or a row, where what has no value stands last", () => {
  const reply = replyOf({});
  const ids = (order?: (at: number) => number | undefined) =>
    columnsOf(reply, compared("a", ["c", "b", "a"]), order).map(({ experimentId }) => experimentId);
  assert.deepEqual(ids(), ["a", "c", "b"]);
  assert.deepEqual(
    ids((at) => [9, 1, 2][at]),
    ["a", "b", "c"],
  );
  assert.deepEqual(
    ids((at) => [9, undefined, 2][at]),
    ["a", "c", "b"],
  );
});

test("the counts say what is left out", () => {
  assert.equal(countsText(replyOf({ keys: [lr], equalKeys: 40 })), "1 of 41 keys differs");
  const reply = replyOf({ keys: [lr], differingKeys: 1_200, hiddenKeys: 2, uncomparedValues: 3 });
  assert.match(
    countsText(reply),
    /1,200 of 1,200 .* first 1 are .* 2 keys starting with _ hidden, 3 values/,
  );
});

test("each value is a filter that the language reads, and so is lacking the key", () => {
  const key: ComparedKey = {
    field: 'meta."a b"',
    values: [
      value("text", "x y"),
      value("text", ""),
      value("text", "true"),
      value("null", "null"),
      value("list", '[1,"b"]'),
      value("text", "long", true),
      value("text", "é".repeat(129)),
    ],
    valueOf: [0, 1, 2, 3, 4, 5, 6, 0, null, null],
  };
  assert.deepEqual(
    filtersOf(key).map(({ text, experiments }) => [text, experiments]),
    [
      ['meta."a b" = "x y"', 2],
      ['meta."a b" = ""', 1],
      ['meta."a b" = "true"', 1],
      ['meta."a b" = null', 1],
      ['meta."a b" = "[1,\\"b\\"]"', 1],
      ['not meta."a b"', 2],
    ],
  );
  for (const { text } of filtersOf(key)) parseQuery(text);
});

test("the file has every key and every column, as they were recorded", () => {
  const reply = replyOf({ keys: [{ ...lr, values: [value("list", '[1,"b"]'), lr.values[0]] }] });
  const rows = differenceCsv(reply, columnsOf(reply, compared("a")));
  assert.equal(csvText(rows), 'key,slug-a,slug-b,slug-c\r\nmeta.lr,0.1,"[1,""b""]",\r\n');
});
