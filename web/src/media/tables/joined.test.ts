import assert from "node:assert/strict";
import { test } from "node:test";
import { groupedSheet } from "./grouped.ts";
import { type Condition, fulfilling, tablesWhere } from "./conditions.ts";
import {
  areJoinedAtFirst,
  comparedColumns,
  differentRows,
  joinedSheet,
  keyColumns,
  usualKey,
} from "./joined.ts";
import { columnNames, type RunTable } from "./sheet.ts";
import { stackedSheet } from "./stacked.ts";
import { tablesViewOf, tablesWith } from "./tables-address.ts";

const tableOf = (name: string, columns: string[], rows: unknown[][]): RunTable => ({
  experimentId: name,
  name,
  step: 0,
  file: { path: "t.json", bytes: 1, artifact: name, version: "1" },
  table: { columns, rows, rowsLeftOut: 0 },
  columns: columnNames(columns),
});

test("repeated keys are joined in their order, and what is equal stands once", () => {
  const tables = [
    tableOf(
      "a",
      ["id", "x", "same"],
      [
        ["k", 1, "s"],
        ["k", 2, "s"],
      ],
    ),
    tableOf(
      "b",
      ["id", "x", "same"],
      [
        ["k", 1, "s"],
        ["k", 3, "s"],
        ["l", 4, "s"],
      ],
    ),
  ];
  const sheet = joinedSheet(tables, "id");
  const { rows, columns, notes } = sheet;
  assert.deepEqual(
    columns.map(({ name, of }) => [name, of]),
    [
      ["id", undefined],
      ["runs", undefined],
      ["x", 0],
      ["x", 1],
      ["same", undefined],
    ],
  );
  assert.deepEqual(rows, [
    ["k", 2, 1, 1, "s"],
    ["k", 2, 2, 3, "s"],
    ["l", 1, undefined, 4, "s"],
  ]);
  assert.deepEqual([...differentRows(sheet)], rows.slice(1));
  assert.match(notes[0], /1 value of id/);
});

test("a key is of two tables at least, and one that tells rows apart comes first", () => {
  const tables = [
    tableOf(
      "a",
      ["own", "truth", "id"],
      [
        [1, "cat", 1],
        [2, "cat", 2],
      ],
    ),
    tableOf(
      "b",
      ["truth", "id"],
      [
        ["cat", 1],
        ["cat", 2],
      ],
    ),
  ];
  assert.deepEqual(keyColumns(tables), ["truth", "id"]);
  assert.equal(usualKey(tables), "id");
  assert.equal(usualKey([tables[0]]), undefined);
});

test("pictures stand once where their checksums agree, and otherwise count by their captions", () => {
  const picture = (path: string, caption: string, sha256?: string) => ({
    _media: { kind: "image", path, caption, sha256 },
  });
  const sheet = (caption: string, ...sums: string[]) =>
    joinedSheet(
      [
        tableOf("a", ["id", "p"], [[1, picture("a.png", "one", sums[0])]]),
        tableOf("b", ["id", "p"], [[1, picture("b.png", caption, sums[1])]]),
      ],
      "id",
    );
  const told = (one: ReturnType<typeof sheet>) => [one.columns.length, differentRows(one).size];
  assert.deepEqual(told(sheet("one")), [3, 0]);
  assert.deepEqual(told(sheet("two")), [3, 1]);
  assert.deepEqual(told(sheet("one", "5a", "5a")), [2, 0]);
  assert.deepEqual(told(sheet("two", "5a", "5a")), [3, 1]);
  assert.deepEqual(told(sheet("one", "5a", "5b")), [3, 1]);
  assert.match(sheet("one", "5a").notes.join(), /checksums are not known/);
  assert.deepEqual(sheet("one", "5a", "5a").notes, []);
});

const guesses = [
  tableOf(
    "vit",
    ["id", "guess", "sure", "right"],
    [
      ["a", "cat", 0.5, true],
      ["b", "dog", 0.75, false],
      ["c", "cat", 1, true],
    ],
  ),
  tableOf(
    "resnet",
    ["id", "guess", "sure", "right"],
    [
      ["a", "cat", 0.25, true],
      ["b", "dog", { _number: "NaN" }, false],
      ["c", "dog", 0, false],
    ],
  ),
];

test("rows differ in any column but decimals, in any, or in one", () => {
  const sheet = joinedSheet(guesses, "id");
  const keys = (name?: string) => [...differentRows(sheet, name)].map(([id]) => id);
  assert.deepEqual(
    comparedColumns(sheet).map(({ name, hasDecimals }) => [name, hasDecimals]),
    [
      ["guess", false],
      ["sure", true],
      ["right", false],
    ],
  );
  assert.deepEqual(keys(), ["c"]);
  assert.deepEqual(keys(""), ["a", "b", "c"]);
  assert.deepEqual(keys("sure"), ["a", "b", "c"]);
  assert.deepEqual(keys("guess"), ["c"]);
  const decimals = joinedSheet(
    guesses.map(({ name, table }) =>
      tableOf(
        name,
        ["id", "sure"],
        table.rows.map(([id, , sure]) => [id, sure]),
      ),
    ),
    "id",
  );
  assert.equal(differentRows(decimals).size, 3);
});

test("conditions are on a column of one run, of any or of all that have the row", () => {
  const sheet = joinedSheet(guesses, "id");
  const found = (...conditions: Condition[]) => {
    const isFound = fulfilling(conditions, guesses);
    return sheet.rows
      .filter((row) => isFound((table) => sheet.partOf!(row, table)))
      .map(([id]) => id)
      .join("");
  };
  const one = (column: string, run: string, sign: Condition["sign"], value: string): Condition => {
    return { column, run, sign, value };
  };
  assert.equal(found(one("right", "vit", "=", "True"), one("right", "resnet", "=", "false")), "c");
  assert.equal(found(one("right", "any", "=", "true")), "ac");
  assert.equal(found(one("right", "all", "=", "true")), "a");
  assert.equal(found(one("right", "gone", "≠", "true")), "");
  assert.equal(found(one("guess", "resnet", "≠", "dog")), "a");
  assert.equal(found(one("guess", "all", "contains", "O")), "b");
  assert.equal(found(one("guess", "any", "=", "Cat")), "");
  assert.equal(found(one("sure", "vit", ">", "0.5")), "bc");
  assert.equal(found(one("sure", "resnet", "<", "1e-1")), "c");
  assert.equal(found(one("sure", "resnet", "=", "nan")), "b");
  assert.equal(found(one("guess", "any", "<", "5")), "");
  assert.equal(found(one("id", "any", ">", "a")), "bc");
  const rows = tablesWhere(guesses, [one("right", "any", "=", "false")]);
  assert.deepEqual(
    rows.map(({ table }) => table.rows.map(([id]) => id)),
    [["b"], ["b", "c"]],
  );
});

test("tables are joined at first that have the same columns, and most values of a key", () => {
  assert.equal(areJoinedAtFirst(guesses), true);
  assert.equal(areJoinedAtFirst(guesses.slice(1)), false);
  const other = (columns: string[], rows: unknown[][]) => tableOf("other", columns, rows);
  const { columns } = guesses[0];
  for (const table of [
    other(["id"], [["a"]]),
    other([...columns], []),
    other([...columns], [["x", "cat", 1, true]]),
    other(
      [...columns],
      [
        ["a", "cat", 0.5, true],
        ["a", "cat", 0.25, true],
      ],
    ),
  ])
    assert.equal(areJoinedAtFirst([guesses[0], table]), false);
});

test("means leave out what is no finite number, and say how many there are", () => {
  const sheet = groupedSheet(
    [
      tableOf(
        "a",
        ["g", "v", "v"],
        [
          ["x", 1, true],
          ["x", { _number: "NaN" }, false],
          ["y", "t", null],
        ],
      ),
    ],
    "g",
  );
  assert.deepEqual(sheet.rows, [
    ["x", 2, 1, 0.5],
    ["y", 1, undefined, undefined],
  ]);
  assert.deepEqual(
    [sheet.remark!(sheet.rows[0], 2), sheet.remark!(sheet.rows[0], 3)],
    ["1 of 2", undefined],
  );
});

test("of more cells than a page can have, the first rows are here, and a sentence says so", () => {
  const columns = Array.from({ length: 2_000 }, (_, at) => `c${at}`);
  const rows = Array.from({ length: 600 }, (_, at) => [at, at]);
  const tables = [tableOf("a", columns, rows)];
  for (const [sheet, most] of [
    [joinedSheet(tables, "c0"), 500],
    [stackedSheet(tables), 499],
  ] as const) {
    assert.equal(sheet.rows.length, most);
    assert.match(sheet.notes[0], new RegExp(`The first ${most} of 600 rows are here`));
  }
});

test("the address keeps how tables are shown, and anything else counts as nothing", () => {
  const where = [{ column: "right", run: "any", sign: "≠", value: "" } as const];
  const view = { as: "joined", key: "id", areDifferent: true, differIn: "right", where } as const;
  const text = tablesWith(undefined, "t", view);
  assert.deepEqual(tablesViewOf(text, "t"), view);
  assert.deepEqual(tablesViewOf(text, "u"), { as: "usual" });
  assert.equal(tablesWith(text, "t", { as: "usual" }), undefined);
  for (const other of ["{", "[]", '{"t":{"as":"no","key":3}}'])
    assert.deepEqual(tablesViewOf(other, "t"), { as: "usual" });
  const half = '{"t":{"where":[3,{"column":"a","sign":"~","value":"b"}]}}';
  assert.deepEqual(tablesViewOf(half, "t"), { as: "usual", where: [] });
});
