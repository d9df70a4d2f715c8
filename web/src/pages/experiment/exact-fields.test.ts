import assert from "node:assert/strict";
import { test } from "node:test";
import { exactChange, exactFields } from "./exact-fields.ts";

const whole = {
  x: { kind: "step" },
  range: undefined,
  heights: undefined,
  smooth: undefined,
} as const;

test("what is written of each axis is shown, its last step or moment included", () => {
  const fields = { ...exactFields(whole), xFrom: "100", xTo: "200", yFrom: "-1e-3", yTo: " 2.5" };
  const change = { range: { start: 100, end: 201 }, heights: { start: -0.001, end: 2.5 } };
  assert.deepEqual(exactChange(whole, fields), change);
  assert.deepEqual(exactFields({ ...whole, ...change }), {
    ...fields,
    yFrom: "-0.001",
    yTo: "2.5",
  });
  const elapsed = { ...whole, x: { kind: "elapsed" } } as const;
  const times = { ...exactFields(elapsed), xFrom: "90s", xTo: "2h" };
  assert.deepEqual(exactChange(elapsed, times), { range: { start: 90_000, end: 7_200_001 } });
  const metric = { ...whole, x: { kind: "metric", name: "lr" } } as const;
  const values = { ...exactFields(metric), xFrom: "-1", xTo: "0.5" };
  assert.deepEqual(exactChange(metric, values), { range: { start: -1, end: 0.5 } });
});

test("any weight and width smooths, and only what was changed is another one", () => {
  const smooth = { kind: "ema", weight: 0.95 } as const;
  const fields = { ...exactFields(whole), smoothing: "ema", amount: "0.95" } as const;
  assert.deepEqual(exactChange(whole, fields), { smooth });
  const byX = { ...fields, smoothing: "x", amount: "0.9" } as const;
  assert.deepEqual(exactChange(whole, byX), { smooth: { kind: "x", weight: 0.9 } });
  const shown = { ...whole, smooth, heights: "robust" } as const;
  assert.deepEqual(exactChange(shown, exactFields(shown)), {});
  const none = { ...exactFields(shown), smoothing: "" } as const;
  assert.deepEqual(exactChange(shown, none), { smooth: undefined });
});

test("what cannot be shown is said", () => {
  const wrong = [
    [{ xFrom: "5" }, /Enter both ends of x/],
    [{ xFrom: "5", xTo: "4" }, /the lower one first/],
    [{ yFrom: "1", yTo: "1" }, /Enter both ends of y/],
    [{ yFrom: "a", yTo: "b" }, /Enter both ends of y/],
    [{ smoothing: "ema", amount: "1" }, /above 0 and up to 0.999/],
    [{ smoothing: "gauss", amount: "" }, /from 1 to 1,000/],
  ] as const;
  for (const [part, words] of wrong)
    assert.throws(() => exactChange(whole, { ...exactFields(whole), ...part }), words);
});
