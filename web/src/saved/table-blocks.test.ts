import assert from "node:assert/strict";
import { test } from "node:test";
import { readTableAddress } from "../pages/experiments/table-address.ts";
import { tableBlocks } from "./table-blocks.ts";

const address = (parameters: Record<string, string>) =>
  readTableAddress((name) => parameters[name]);
const columns = ["status", "metric.val/loss.min", "meta.lr"];

test("a report of a table has its query, folder, order and columns, and a chart of its metric", () => {
  const asked = address({ q: "tag = best", folder: "f", sort: "meta.lr" });
  const [text, chart, table, ...more] = tableBlocks(asked, columns, ["meta.opt", "status"]);
  assert.deepEqual(more, []);
  assert.deepEqual(text, { kind: "text", markdown: "" });
  assert.deepEqual(chart, {
    kind: "chart",
    query: "tag = best",
    folderId: "f",
    sort: "meta.lr",
    seriesName: "val/loss",
    title: "",
    view: new URLSearchParams({ group: "meta.opt,experiment.status" }).toString(),
  });
  assert.deepEqual(table, {
    kind: "table",
    query: "tag = best",
    folderId: "f",
    columns: "status, metric.val/loss.min, meta.lr",
    sort: "meta.lr",
    limit: 10,
  });
});

test("ticked experiments are named, and a table without a metric has no chart", () => {
  const ticked = address({ q: "tag = best", sel: "01j0000000000000000000000a" });
  const [, chart, table] = tableBlocks(ticked, columns, []);
  assert.ok(chart?.kind === "chart" && table?.kind === "table");
  assert.deepEqual(chart.experimentIds, ["01j0000000000000000000000a"]);
  assert.deepEqual([chart.query, chart.view], [undefined, ""]);
  assert.match(table.query, /^id /);
  const kinds = tableBlocks(address({}), ["status"], []).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["text", "table"]);
});
