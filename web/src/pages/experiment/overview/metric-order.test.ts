import assert from "node:assert/strict";
import { test } from "node:test";
import { summaryOf } from "../../compare/difference/reply.fixture.ts";
import { metricLines, orderAfter, orderOf } from "./metric-order.ts";

const metric = (name: string, part: Parameters<typeof summaryOf>[0] | null) => ({
  name,
  experiments: 1,
  summaries: [part && summaryOf(part)],
});
const metrics = [
  metric("acc", { last: 0.5, min: 0.1 }),
  metric("diverged", { last: "NaN", min: 3 }),
  metric("system/gpu", { last: 90, min: 1 }),
  metric("train/grow", { last: "Infinity", min: -4 }),
  metric("train/loss", { last: 2, min: 1.5 }),
  metric("waits", null),
];
const names = (pattern: string, order: string | undefined) =>
  metricLines(metrics, pattern, orderOf(order)).map(({ name }) => name);

test("without an order the lines stand as the charts do", () => {
  const plain = ["train/loss", "acc", "train/grow", "diverged", "waits", "system/gpu"];
  assert.deepEqual(names("", undefined), plain);
  assert.deepEqual(names("", "nonsense"), plain);
  assert.deepEqual(names("train/*", undefined), ["train/loss", "train/grow"]);
});

test("numbers are ordered, and what is none stands behind them in both directions", () => {
  const end = ["train/grow", "diverged", "waits"];
  assert.deepEqual(names("", "last"), ["acc", "train/loss", "system/gpu", ...end]);
  assert.deepEqual(names("", "-last"), ["system/gpu", "train/loss", "acc", ...end]);
  assert.equal(names("", "min")[0], "train/grow");
});

test("clicks on one head order by it, turn the order, and end it", () => {
  const seen = [undefined, "min", "-min"].map((text) => orderAfter(orderOf(text), "min"));
  assert.deepEqual(seen, ["min", "-min", undefined]);
  assert.equal(orderAfter(orderOf("-last"), "min"), "min");
});
