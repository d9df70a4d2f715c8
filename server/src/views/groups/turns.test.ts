import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "../../ground/errors.ts";
import { Turns } from "./turns.ts";

test("work gives way to others when its turn is over, and not before", async () => {
  let nowMs = 0;
  const turns = new Turns(1_000, "too long", undefined, () => nowMs);
  nowMs = 19;
  assert.equal(turns.next(), undefined);
  nowMs = 20;
  const given = turns.next();
  assert.ok(given instanceof Promise);
  await given;
  assert.equal(turns.next(), undefined, "a new turn has begun");
});

test("it ends with its time, and says what to narrow; or with its client", async () => {
  let nowMs = 0;
  const turns = new Turns(1_000, "Narrow the query.", undefined, () => nowMs);
  nowMs = 1_000;
  await turns.next();
  nowMs = 1_021;
  await assert.rejects(
    async () => turns.next(),
    (error) => error instanceof ServiceError && error.message === "Narrow the query.",
  );
  const left = AbortSignal.abort(new Error("left"));
  const abandoned = new Turns(1_000, "", left, () => (nowMs += 30));
  await assert.rejects(async () => abandoned.next(), /left/);
});
