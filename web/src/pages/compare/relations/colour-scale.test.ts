import assert from "node:assert/strict";
import { test } from "node:test";
import { wantsLog } from "./axis.ts";
import { colourOf, colourScaleOf, legendOf, shadeOf, type Inks } from "./colour-scale.ts";

const lines = ["#000001", "#000002"];
const inks: Inks = { isDark: false, lines, text: "#111111", soft: "#777777", card: "#ffffff" };

const brightness = (hex: string) =>
  [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => {
    return sum + weight * parseInt(hex.slice(1 + 2 * at, 3 + 2 * at), 16);
  }, 0);

test("brightness alone orders the shades, and the best stands out in either theme", () => {
  for (const isDark of [false, true]) {
    const levels = Array.from({ length: 21 }, (_, at) => brightness(shadeOf(at / 20, isDark)));
    for (const [at, level] of levels.entries())
      if (at > 0) assert.ok(isDark ? level > levels[at - 1] : level < levels[at - 1], `${at}`);
  }
  assert.equal(shadeOf(1, false), "#440154");
  assert.equal(shadeOf(1, true), "#fde725");
  assert.equal(shadeOf(7, true), shadeOf(1, true));
});

test("the least loss has the best shade, a category a colour, and no value a pale one", () => {
  const loss = colourScaleOf("metric.loss.min", [1, 2, 4], undefined, true);
  const of = (shade: number | string | null, scale = loss) =>
    colourOf(scale, { shade, kind: undefined }, inks);
  assert.deepEqual([of(1), of(4)], [shadeOf(1, false), shadeOf(0, false)]);
  assert.equal(of(null), inks.soft);
  assert.deepEqual(
    legendOf(loss, inks).map(({ text }) => text),
    ["1", "4"],
  );
  const opt = colourScaleOf("meta.opt", ["b", "a", "c"], undefined, undefined);
  assert.deepEqual([of("a", opt), of("b", opt), of("c", opt)], ["#000001", "#000002", "#000001"]);
  const kind = { colour: 1, pattern: 0 };
  assert.equal(colourOf(undefined, { shade: null, kind }, inks), "#000002");
});

test("an axis is logarithmic where its values say so", () => {
  const spread = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1];
  assert.equal(wantsLog("meta.lr", spread), true);
  assert.equal(wantsLog("meta.lr", [...spread, null]), true);
  assert.equal(wantsLog("meta.lr", [...spread, 0]), false);
  assert.equal(wantsLog("meta.lr", [...spread, "auto"]), false);
  assert.equal(wantsLog("meta.width", [128, 256, 512, 1_024]), false);
  assert.equal(wantsLog("meta.step", [1, 50, 100]), false);
  assert.equal(wantsLog("metric.loss.last", [3, 3.1, 3.2, 900, "NaN"]), true);
  assert.equal(wantsLog("created", [1, 2, 1e12]), false);
  assert.equal(wantsLog("meta.none", [null]), false);
});
