import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Columns, readHeader, readRow, type Row, rowText } from "./row.ts";

const columns = readHeader("step,elapsed_ms,metric,value") as Columns;
const withMeta = readHeader("step,elapsed_ms,metric,value,meta") as Columns;

function problemOf(text: string, of = columns): string | undefined {
  const row = readRow(text, 7, of);
  return "problem" in row ? row.problem : undefined;
}

suite("CSV rows", () => {
  test("a row is read as it is written", () => {
    assert.deepEqual(readRow("3,1500,val/loss,10.968871", 4, columns), {
      line: 4,
      row: 3,
      step: 3,
      elapsedMs: 1500,
      metric: "val/loss",
      value: 10.968871,
      meta: undefined,
    });
    assert.equal((readRow("0,,a,1", 2, columns) as Row).elapsedMs, undefined);
    assert.equal((readRow("1e3,-5.0,a,1", 2, columns) as Row).step, 1000);
    assert.equal((readRow("1e3,-5.0,a,1", 2, columns) as Row).elapsedMs, -5);
  });

  test("every finite double comes back bit-equal from its text", () => {
    for (const value of [
      0.1,
      1 / 3,
      5e-324,
      1.7976931348623157e308,
      2 ** 53,
      -1e21,
      1e-7,
      9.35003,
    ]) {
      const text = rowText(1, undefined, "a", value);
      assert.ok(Object.is((readRow(text, 2, columns) as Row).value, value), text);
    }
  });

  test("values that are not finite are told by name", () => {
    for (const [text, value] of [
      ["nan", NaN],
      ["NaN", NaN],
      ["-inf", -Infinity],
      ["Infinity", Infinity],
    ]) {
      assert.equal((readRow(`1,,a,${text}`, 2, columns) as Row).value, value);
    }
  });

  test("wrong rows say what is wrong", () => {
    assert.match(problemOf("1,2,a") ?? "", /has 3 columns, the header has 4/);
    assert.match(problemOf("1,2,a,1,") ?? "", /has 5 columns/);
    for (const step of ["", "-1", "1.5", "x", "9007199254740991", " 1", "0x10"]) {
      assert.match(problemOf(`${step},2,a,1`) ?? "", /step must be/, step);
    }
    for (const elapsed of ["1.5", "soon", "1e400"]) {
      assert.match(problemOf(`1,${elapsed},a,1`) ?? "", /elapsed_ms must be/, elapsed);
    }
    for (const value of ["", "one", "1e400", "0x10", "1 ", "1,5".slice(1)]) {
      assert.notEqual(problemOf(`1,2,a,${value}`), undefined, value);
    }
    assert.match(problemOf('1,2,"a,1') ?? "", /quote/);
  });

  test("the header names the columns, in any order", () => {
    const other = readHeader("\ufeffvalue,metric,step,elapsed_ms") as Columns;
    assert.equal((readRow("0.5,loss,3,", 2, other) as Row).step, 3);
    assert.match(String(readHeader("step,metric,value")), /no column elapsed_ms/);
    assert.match(
      String(readHeader("step,elapsed_ms,metric,value,epoch")),
      /unknown column "epoch"/,
    );
    assert.match(String(readHeader("step,step,elapsed_ms,metric,value")), /repeated/);
  });

  test("names with commas and quotes, and metadata, survive", () => {
    const meta = { split: "train", note: 'a "b", c' };
    const text = rowText(1, 2, 'top,"1"', 3, JSON.stringify(meta));
    const row = readRow(text, 2, withMeta) as Row;
    assert.deepEqual([row.metric, row.meta], ['top,"1"', meta]);
    assert.equal((readRow(rowText(1, 2, "a", 3, "{}"), 2, withMeta) as Row).meta, undefined);
    for (const cell of ["[]", '{"a":1}', "{", "null"]) {
      assert.match(problemOf(`1,2,a,3,"${cell.replaceAll('"', '""')}"`, withMeta) ?? "", /meta/);
    }
  });
});
