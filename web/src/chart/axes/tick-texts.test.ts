import assert from "node:assert/strict";
import { test } from "node:test";
import { numberTexts, spanTexts, stepTexts, textWidth } from "./tick-texts.ts";
import { evenTicksOf, extremeTicksOf } from "./ticks.ts";

/** Ticks as uPlot places them where it can: multiples of 1, 2, 2.5 or 5 times a power of ten. */
function ticksBetween(low: number, high: number): number[] {
  const own = extremeTicksOf(low, high);
  if (own !== undefined) return own;
  const power = Number(`1e${Math.floor(Math.log10((high - low) / 8))}`);
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((each) => each >= (high - low) / 8)!;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(15)),
  );
}

/** The number expressed by a text and its note together. */
function valueSaid(text: string, note: string): number {
  const plain = (each: string) => Number(each.replaceAll(",", "").replace("M", "e6"));
  const [, offset = "0", power = "0"] = /^(?:(.+) \+ )?…(?: × 1e(.+))?$/.exec(note) ?? [];
  const own = text.endsWith("M") ? plain(text) : Number(`${plain(text)}`);
  const [digits, exponent = "0"] = String(own).split("e");
  return plain(offset) + Number(`${digits}e${Number(exponent) + Number(power)}`);
}

const ranges: [number, number][] = [
  [123_456_789, 123_457_689],
  [-123_457_689, -123_456_789],
  [2 ** 53 - 20, 2 ** 53 - 1],
  [9_007_199_254_740_000, 9_007_199_254_749_000],
  [1.2345e-300, 9.87e-300],
  [-1.2345e-300, 9.87e-300],
  [1e307, 1e308],
  [-1e307, 1e307],
  [5e-324, 5e-322],
  [1, 1.0000000000001],
  [0.0012345, 0.0012346],
  [-0.0098765, -0.00123],
  [1.7e12, 1.7e12 + 86_400_000],
  [0, 4e9],
  [0, 1],
  [-1_500_000, 1_500_000],
  [99_999, 100_001],
];

test("a tick says its number with all digits, no two alike, and with room, at any magnitude", () => {
  for (let power = -300; power <= 300; power += 3)
    for (const share of [1, 1e-3, 1e-6, 1e-9, 1e-12])
      for (const sign of [1, -1]) {
        const [one, other] = [1.2345 * sign, 1.2345 * sign * (1 + share)].map((digits) =>
          Number(`${digits}e${power}`),
        );
        ranges.push([Math.min(one, other), Math.max(one, other)]);
      }
  for (const [low, high] of ranges) {
    const ticks = ticksBetween(low, high);
    const { texts, note } = numberTexts(ticks);
    const where = `${low} to ${high}: ${texts.join(" ")} (${note})`;
    assert.ok(ticks.length > 1, where);
    assert.equal(new Set(texts).size, ticks.length, where);
    const step = ticks[1] - ticks[0];
    for (const [at, text] of texts.entries()) {
      assert.ok(textWidth(text) <= 54, where);
      const away = Math.abs(valueSaid(text, note) - ticks[at]);
      assert.ok(away <= step / 10 + Math.abs(ticks[at]) * 2 ** -52, `${where}: ${ticks[at]}`);
    }
  }
});

test("usual numbers are shown as they are", () => {
  const said = (...ticks: number[]) => numberTexts(ticks);
  assert.deepEqual(said(0, 0.25, 0.5), { texts: ["0", "0.25", "0.5"], note: "" });
  assert.deepEqual(said(0, 500_000, 1_000_000).texts, ["0", "500,000", "1M"]);
  assert.deepEqual(said(-1_250_000, 0).texts, ["-1.25M", "0"]);
  assert.deepEqual(said(0, 2e9), { texts: ["0", "2e9"], note: "" });
  assert.deepEqual(said(0, 0.0005), { texts: ["0", "0.0005"], note: "" });
  assert.deepEqual(said(123_456_800, 123_457_000, 123_457_200), {
    texts: ["800", "1,000", "1,200"],
    note: "123,456,000 + …",
  });
  assert.deepEqual(numberTexts([1, 2, 1.5, 1e-300, 1.25], true).texts, [
    "1",
    "2",
    "1.5",
    "1e-300",
    "",
  ]);
});

test("a narrow part of a bent axis says its numbers, too", () => {
  const ticks = evenTicksOf(123_456_789, 123_457_689)!;
  const { texts } = numberTexts(ticks);
  assert.equal(new Set(texts).size, ticks.length);
});

test("steps are counted, and large ones from a round step on", () => {
  assert.deepEqual(stepTexts([0, 250_000, 500_000]), {
    texts: ["0", "250,000", "500,000"],
    note: "",
  });
  const last = 2 ** 53 - 1;
  const { texts, note } = stepTexts([last - 20, last - 10, last]);
  assert.deepEqual(texts, ["71", "81", "91"]);
  assert.equal(note, "9,007,199,254,740,900 + …");
});

test("lengths that two units do not tell apart are counted from a longer one", () => {
  const day = 86_400_000;
  const first = 30 * day + 3_600_000;
  const { texts, note } = spanTexts([0, 10_000, 20_000].map((ms) => first + ms));
  assert.equal(new Set(texts).size, 3);
  assert.deepEqual(texts, ["0", "10 s", "20 s"]);
  assert.equal(note, "30 d 1 h + …");
  assert.deepEqual(spanTexts([0, 3_600_000, 5_400_000]).texts, ["0", "1 h", "1 h 30 min"]);
});
