import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column } from "./column.ts";
import { metricCsv, metricRows, orderOf } from "./metric-table.ts";
import { differenceText } from "../../../parts/words.ts";
import { metricParameters, readMetricView, type MetricView } from "./metric-view.ts";
import { replyOf, summaryOf } from "./reply.fixture.ts";
import { measuredText } from "../../experiments/cell-text.ts";

const columns: Column[] = ["b", "a", "c"].map((id, place) => ({
  experimentId: id,
  at: [1, 0, 2][place],
  title: id,
  kind: undefined,
  isReference: place === 0,
}));
const loss = {
  name: "val/loss",
  experiments: 2,
  summaries: [summaryOf({ min: 3.2791, last: 4 }), summaryOf({ min: 3.2773, last: 4 }), null],
};
const reply = replyOf({ metrics: [loss, { ...loss, name: "acc" }] });
const view = (part: Partial<MetricView> = {}) => ({ ...readMetricView(() => undefined), ...part });

test("each value stands beside its difference to the reference, and its step", () => {
  const rows = metricRows(reply, columns, view({ stats: ["min", "last"] }));
  assert.deepEqual(
    rows.map(({ metric, stat, direction }) => [metric.name, stat, direction]),
    [
      ["val/loss", "min", "least"],
      ["val/loss", "last", "least"],
      ["acc", "min", "none"],
      ["acc", "last", "most"],
    ],
  );
  const [{ cells }] = rows;
  assert.deepEqual(
    cells.map(({ text, difference, at, isBest }) => [text, difference, at, isBest]),
    [
      ["3.27730", undefined, "step 5", true],
      ["3.27910", "+0.0018", "step 5", false],
      [undefined, undefined, undefined, false],
    ],
  );
  assert.deepEqual(
    rows[1].cells.map(({ isBest, difference }) => [isBest, difference]),
    [
      [false, undefined],
      [false, "±0"],
      [false, undefined],
    ],
  );
  assert.ok(rows[2].cells.every(({ isBest }) => !isBest));
  const chosen = metricRows(reply, columns, view({ directions: new Map([["acc", "most"]]) }));
  const best = chosen.find(({ metric, stat }) => metric.name === "acc" && stat === "min")!;
  assert.deepEqual(
    best.cells.map(({ isBest }) => isBest),
    [false, true, false],
  );
});

test("the largest loss is nobody's best, unless somebody says so", () => {
  const of = (one: number) => summaryOf({ max: one });
  const two = replyOf({ metrics: [{ ...loss, summaries: [of(6), of(5), null] }] });
  const starsOf = (part: Partial<MetricView>) =>
    metricRows(two, columns, view({ stats: ["max"], ...part }))[0].cells.map(
      ({ isBest }) => isBest,
    );
  assert.deepEqual(starsOf({}), [false, false, false]);
  assert.deepEqual(starsOf({ directions: new Map([["val/loss", "least"]]) }), [true, false, false]);
});

test("a difference has four digits and its sign", () => {
  assert.deepEqual([0.0018000000000002, -0.123456, 12345678, -1e-9, 0].map(differenceText), [
    "+0.0018",
    "−0.1235",
    "+12,345,678",
    "−1e-9",
    "±0",
  ]);
});

test("experiments are ordered by a row in either direction", () => {
  const order = { name: "val/loss", stat: "min" as const, descending: false };
  assert.deepEqual([0, 1, 2].map(orderOf(reply, order)!), [3.2791, 3.2773, undefined]);
  const falling = orderOf(reply, { ...order, descending: true })!;
  assert.deepEqual([0, 1, 2].map(falling), [-3.2791, -3.2773, undefined]);
  assert.equal(orderOf(reply, undefined), undefined);
});

test("the address has what is shown, and what is none in it is left out", () => {
  const chosen: MetricView = {
    stats: ["min"],
    text: "val",
    order: { name: "val loss", stat: "max", descending: true },
    directions: new Map([
      ["a,b", "most"],
      ["loss", "none"],
    ]),
  };
  const parameters = metricParameters(chosen);
  const read = (name: string) => parameters[name as keyof typeof parameters] as string | undefined;
  assert.deepEqual(readMetricView(read), chosen);
  const nothing = readMetricView((name) => ({ by: "slug", best: "x y,most %", stats: "p" })[name]);
  assert.deepEqual([nothing.order, nothing.stats.length], [undefined, 4]);
});

test("integers have all their digits as long as these are theirs", () => {
  const texts = [2 ** 53 - 1, -1e300, 0.5].map(measuredText);
  assert.deepEqual(texts, ["9,007,199,254,740,991", "-1e300", "0.500000"]);
});

test("the file has all digits, the steps and the differences", () => {
  const [head, min, minStep] = metricCsv(reply, columns, ["min"]);
  assert.deepEqual(head, ["metric", "statistic", "b", "a", "c", "a less b", "c less b"]);
  assert.deepEqual(min, ["val/loss", "min", 3.2773, 3.2791, null, 3.2791 - 3.2773, null]);
  assert.deepEqual(minStep, ["val/loss", "min step", 5, 5, null, null, null]);
});
