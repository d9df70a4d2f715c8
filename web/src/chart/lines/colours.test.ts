import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { chosenColour, colourCount, kindsApart, kindsOf, patternCount } from "./colours.ts";

const css = ["chart/chart.css", "../../server/src/http/sign-in/palette.css"]
  .map((file) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"))
  .join("\n");

type Colour = [number, number, number];

/** A theme defines it twice: first for light, then in its dark block. */
function themed(name: string): { light: Colour; dark: Colour } {
  const all = [...css.matchAll(new RegExp(`--${name}: #([0-9a-f]{6});`, "g"))].map(([, hex]) => {
    const linear = [0, 2, 4].map((at) => {
      const share = parseInt(hex.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return linear as Colour;
  });
  assert.equal(all.length, 2, name);
  return { light: all[0], dark: all[1] };
}

const luminance = ([red, green, blue]: Colour) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

function contrast(one: Colour, other: Colour): number {
  const [low, high] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (high + 0.05) / (low + 0.05);
}

/** Machado, Oliveira and Fernandes 2009, whole deficiency, of linear light. */
const visions: Record<string, [Colour, Colour, Colour]> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (matrix: Colour[], colour: Colour) =>
  matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * colour[at], 0)) as Colour;

/** OKLab, whose distances match perceived differences. */
function seen(vision: string, colour: Colour): Colour {
  const light = times(visions[vision], colour).map((each) => Math.min(1, Math.max(0, each)));
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    light as Colour,
  ).map(Math.cbrt);
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones as Colour,
  );
}

const distance = (one: Colour, other: Colour) =>
  Math.hypot(...one.map((each, at) => each - other[at]));

const lines = Array.from({ length: colourCount }, (_, number) => themed(`line-${number}`));

for (const theme of ["light", "dark"] as const) {
  test(`every line stands out of both ${theme} grounds`, () => {
    for (const ground of ["ground", "card"])
      for (const [number, line] of lines.entries())
        assert.ok(contrast(line[theme], themed(ground)[theme]) >= 3, `line-${number} on ${ground}`);
  });

  test(`no two ${theme} lines look alike, with any kind of colour vision`, () => {
    for (const vision of Object.keys(visions))
      for (const [at, one] of lines.entries())
        for (const other of lines.slice(0, at))
          assert.ok(
            distance(seen(vision, one[theme]), seen(vision, other[theme])) >= 0.07,
            `${vision}: line-${at} and line-${lines.indexOf(other)}`,
          );
  });
}

test("thirty lines have thirty kinds, whatever their order; colours come before patterns", () => {
  const names = fc.uniqueArray(fc.string({ maxLength: 40 }), { minLength: 1, maxLength: 60 });
  const property = fc.property(names, (all) => {
    const kinds = kindsOf(all);
    const texts = new Set([...kinds.values()].map((kind) => JSON.stringify(kind)));
    assert.equal(texts.size, Math.min(all.length, colourCount * patternCount));
    assert.deepEqual(kindsOf(all.toReversed()), kinds);
    if (all.length <= colourCount)
      assert.deepEqual(new Set([...kinds.values()].map(({ pattern }) => pattern)), new Set([0]));
  });
  fc.assert(property, { numRuns: 500 });
});

test("four groups are far apart, and none of them shares a kind", () => {
  for (const count of [1, 2, 3, 4, 7, 10, 20]) {
    const names = Array.from({ length: count }, (_, at) => `group ${at}`);
    const kinds = kindsApart(names);
    const texts = new Set([...kinds.values()].map((kind) => JSON.stringify(kind)));
    assert.equal(texts.size, count);
    assert.deepEqual(kindsApart(names.toReversed()), kinds);
  }
  for (const theme of ["light", "dark"] as const)
    for (const [vision, least] of [
      ["usual", 0.2],
      ["protan", 0.095],
      ["deutan", 0.095],
      ["tritan", 0.095],
    ] as const) {
      const four = [...kindsApart(["a", "b", "c", "d"]).values()].map(({ colour }) =>
        seen(vision, lines[colour][theme]),
      );
      for (const [at, one] of four.entries())
        for (const other of four.slice(0, at))
          assert.ok(distance(one, other) >= least, `${theme}, ${vision}: ${distance(one, other)}`);
    }
});

test("a line keeps its kind when others come, unless theirs was the same", () => {
  const alone = kindsOf(["b"]).get("b");
  assert.deepEqual(kindsOf(["b", "c", "d"]).get("b"), alone);
});

test("a chosen colour is given first, to several in patterns, and others stay apart from it", () => {
  const chosen = new Map([
    ["z", 4],
    ["y", 4],
    ["gone", 7],
  ]);
  const others = Array.from({ length: 28 }, (_, at) => `other ${at}`);
  const kinds = kindsOf([...others, "z", "y"], chosen);
  assert.deepEqual(kinds.get("y"), { colour: 3, pattern: 0 });
  assert.deepEqual(kinds.get("z"), { colour: 3, pattern: 1 });
  assert.equal(new Set([...kinds.values()].map((kind) => JSON.stringify(kind))).size, 30);
  assert.deepEqual(kindsOf(["other 1"]), kindsOf(["other 1"], chosen));
});

test("a chosen colour is an integer from 1 to 10", () => {
  assert.equal(chosenColour({ _colour: 10 }), 10);
  for (const _colour of [undefined, 0, 11, 1.5, "3", null])
    assert.equal(chosenColour({ _colour }), undefined);
});
