import assert from "node:assert/strict";
import { test } from "node:test";
import { migrations } from "../database/migrations.ts";
import { unreadableForms } from "./forms.fixture.ts";

const leastFormat = Math.max(
  ...migrations.map((one) => (one.kind === "contraction" ? one.leastFormat : 0)),
);

test("every form that is written is read by every program that works on the same data", () => {
  assert.deepEqual(unreadableForms(leastFormat), []);
});

test("a form that the release before does not read is found", () => {
  const early = { name: "log record", written: 2, readSince: { 2: leastFormat + 1 } };
  assert.deepEqual(unreadableForms(leastFormat, [early]), [early]);
  assert.deepEqual(unreadableForms(leastFormat + 1, [early]), []);
  const unheardOf = { name: "segment", written: 3, readSince: { 2: leastFormat } };
  assert.deepEqual(unreadableForms(leastFormat, [unheardOf]), [unheardOf]);
});
