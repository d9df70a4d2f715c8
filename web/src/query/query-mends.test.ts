import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { readQuery } from "@lossless/protocol/query-language";
import { mendsOf, onlyMend } from "./query-mends.ts";
import { wantedField } from "./wanted-field.ts";

suite("queries with names that are no fields", () => {
  const mended = (query: string, fields: readonly string[]) =>
    mendsOf(query, wantedField(query, readQuery(query).error)!, fields);

  test("a name is replaced where it stands, and the rest stays", () => {
    const [mend] = mended("slug ~ a and batch_size  = 64", ["meta.batch_size"]);
    assert.equal(mend.query, "slug ~ a and meta.batch_size  = 64");
    assert.equal(mend.query.slice(0, mend.end), "slug ~ a and meta.batch_size");
  });

  test("fields of this very name come first, then those that end with it, without any all others", () => {
    const names = (query: string, fields: readonly string[]) =>
      mended(query, fields).map(({ field }) => field);
    const lr = ["meta.lr", "meta.optimizer.lr", "meta.lrs"];
    assert.deepEqual(names("lr < 1", lr.slice(0, 2).reverse()), ["meta.lr", "meta.optimizer.lr"]);
    assert.deepEqual(names("lr < 1", lr), ["meta.lr", "meta.optimizer.lr"]);
    assert.deepEqual(names("lr < 1", lr.slice(1)), ["meta.optimizer.lr"]);
    assert.deepEqual(names("lrr < 1", lr), lr);
    const losses = ["metric.val/loss", "metric.val/loss.min", "metric.train/loss"];
    assert.deepEqual(names("val/loss < 1", losses), losses.slice(0, 2));
    assert.deepEqual(names("loss < 1", losses), losses);
  });

  test("only a name that one field can have is mended without a choice", () => {
    const only = (query: string, fields: readonly string[]) =>
      onlyMend(mended(query, fields))?.field;
    const losses = ["metric.val/loss", "metric.val/loss.min", "metric.train/loss"];
    assert.equal(only("val/loss < 1", losses), "metric.val/loss");
    assert.equal(only("loss < 1", losses), undefined);
    assert.equal(only("loss < 1", []), undefined);
  });

  test("fields that experiments of the table have come alone, and only such a one without a choice", () => {
    const wanted = wantedField("lr < 1", readQuery("lr < 1").error)!;
    const fields = ["meta.lr", "meta.optimizer.lr"];
    const nested = mendsOf("lr < 1", wanted, fields, new Set(["meta.optimizer.lr"]));
    assert.equal(onlyMend(nested)?.field, "meta.optimizer.lr");
    const both = mendsOf("lr < 1", wanted, fields, new Set(fields));
    assert.deepEqual([both.length, onlyMend(both)], [2, undefined]);
    const none = mendsOf("lr < 1", wanted, fields, new Set());
    assert.deepEqual([none.length, onlyMend(none)], [2, undefined]);
  });

  test("a statistic is read behind a name as a column has it, and the test of a text", () => {
    const wanted = (query: string) => {
      const { word, name, stat, test } = wantedField(query, readQuery(query).error)!;
      return [word, name, stat, test];
    };
    const both = ["val/loss", "min", undefined];
    assert.deepEqual(wanted("muon val/loss min < 0.5"), ["val/loss min", ...both]);
    assert.deepEqual(wanted("muon and val/loss.min < 0.5"), ["val/loss.min", ...both]);
    assert.deepEqual(wanted("muon and min < 0.5"), ["min", "min", undefined, undefined]);
    assert.deepEqual(wanted('optimizer = "a b" x'), [
      "optimizer",
      "optimizer",
      undefined,
      '= "a b"',
    ]);
    assert.deepEqual(wanted("optimizer = 3"), ["optimizer", "optimizer", undefined, undefined]);
    const [mend] = mended("muon val/loss min < 0.5", ["metric.val/loss.min"]);
    assert.equal(mend.query, "muon metric.val/loss.min < 0.5");
  });
});
