import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bands, parametersOf, viewOf, type ChartView } from "./view.ts";

const name = fc.string({ minLength: 1, maxLength: 12 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
const range = fc
  .tuple(number, number)
  .filter(([one, other]) => one !== other)
  .map(([one, other]) => ({ start: Math.min(one, other) + 0, end: Math.max(one, other) + 0 }));
const view: fc.Arbitrary<ChartView> = fc.record({
  x: fc.oneof(
    fc.record({ kind: fc.constantFrom("step", "offset", "elapsed", "time") }),
    fc.record({ kind: fc.constant("metric" as const), name }),
  ),
  isLogX: fc.boolean(),
  range: fc.option(range, { nil: undefined }),
  y: fc.constantFrom("linear", "log", "symlog"),
  heights: fc.oneof(fc.constant("robust" as const), fc.constant(undefined), range),
  smooth: fc.oneof(
    fc.constant(undefined),
    fc.record({
      kind: fc.constantFrom("x" as const, "ema" as const),
      weight: fc.double({ min: 0.001, max: 0.999, noNaN: true }),
    }),
    fc.record({ kind: fc.constant("gauss" as const), points: fc.integer({ min: 1, max: 1_000 }) }),
  ),
  split: fc.oneof(
    fc.constant({ kind: "colour" as const }),
    fc.constant({ kind: "together" as const }),
    fc.record({ kind: fc.constant("key" as const), key: name.filter((key) => key !== "-") }),
  ),
  group: fc.option(
    fc.record({
      kind: fc.constantFrom("by", "without"),
      keys: fc.array(
        fc.string({ minLength: 1 }).filter((key) => !key.startsWith("-")),
        {
          minLength: 1,
        },
      ),
    }),
    { nil: undefined },
  ),
  band: fc.constantFrom(...bands),
  only: fc.array(fc.record({ key: name.filter((key) => !key.includes("=")), value: name }), {
    maxLength: 3,
  }),
});

test("an address says what a chart shows, and nothing of what is default", () => {
  const property = fc.property(view, (shown) => {
    const url = new URL("http://x/");
    for (const [key, value] of Object.entries(parametersOf(shown)))
      if (value !== undefined && value !== "") url.searchParams.set(key, value);
    const read = new URL(url.href).searchParams;
    assert.deepEqual(
      viewOf((key) => read.get(key) ?? undefined),
      structuredClone(shown),
    );
  });
  fc.assert(property, { numRuns: 1_000 });
  const standard = parametersOf(viewOf(() => undefined));
  assert.deepEqual(new Set(Object.values(standard)), new Set([""]));
});

test("an invalid value in an address is the default", () => {
  const property = fc.property(fc.string(), (text) => {
    for (const key of ["x", "r", "y", "yr", "s", "only", "group"])
      viewOf((asked) => (asked === key ? text : undefined));
  });
  fc.assert(property);
  for (const r of ["", "~", "5", "9~3", "a~b", "0~Infinity", "-1e308~1e308"])
    assert.equal(viewOf((key) => (key === "r" ? r : undefined)).range, undefined, r);
  for (const s of [
    "ema",
    "ema:1",
    "ema:",
    "x",
    "x:0",
    "x:0.9999",
    "gauss:0",
    "gauss:1e9",
    "mean:3",
  ])
    assert.equal(viewOf((key) => (key === "s" ? s : undefined)).smooth, undefined, s);
});
