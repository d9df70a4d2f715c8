import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { test } from "node:test";
import { columnsOf, inUnit, sizeOf, sizeProblem, styleIn } from "./picture-style.ts";
import { withDensity } from "./png.ts";

const usual = styleIn(null);

test("a size on paper has pixels by its density, and one in pixels exactly those", () => {
  assert.deepEqual(sizeOf(usual).pixels, { width: 1_004, height: 709 });
  const screen = { ...usual, unit: "px", width: 960, height: 540 } as const;
  assert.deepEqual(sizeOf(screen).pixels, { width: 960, height: 540 });
  assert.deepEqual(inUnit(usual, "in"), { unit: "in", width: 3.35, height: 2.36 });
  assert.ok(columnsOf(usual) >= 1_004);
  assert.ok(columnsOf({ ...usual, width: NaN }) > 0);
});

test("a size without room, or that no browser draws, is refused with the reason", () => {
  assert.equal(sizeProblem(usual), undefined);
  assert.match(sizeProblem({ ...usual, width: NaN })!, /at least 1 inch/);
  assert.match(sizeProblem({ ...usual, width: 900, dpi: 1_200 })!, /42,520 pixels, at most 8,192/);
  assert.match(sizeProblem({ ...usual, fontPoints: 0 })!, /^Font size: from 4 to 48/);
});

test("what is stored by another version, or by hand, is not believed", () => {
  assert.deepEqual(styleIn("{"), usual);
  assert.deepEqual(styleIn("null"), usual);
  assert.deepEqual(styleIn('{"unit":"ell","width":"x"}'), usual);
  assert.deepEqual(styleIn('{"unit":"in","width":3.5,"height":2.5}'), {
    ...usual,
    unit: "in",
    width: 3.5,
    height: 2.5,
  });
});

test("a PNG says how many dots an inch has", () => {
  const head = new Uint8Array(33);
  const whole = Buffer.from(withDensity(new Uint8Array([...head, 7]), 300));
  assert.equal(whole.length, 33 + 21 + 1);
  assert.equal(whole.toString("latin1", 37, 41), "pHYs");
  assert.deepEqual(
    [whole.readUInt32BE(41), whole.readUInt32BE(45), whole[49]],
    [11_811, 11_811, 1],
  );
  assert.equal(whole.readUInt32BE(50), crc32(whole.subarray(37, 50)));
  assert.equal(whole.at(-1), 7);
});
