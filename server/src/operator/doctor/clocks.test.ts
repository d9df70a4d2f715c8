import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeClock } from "./clocks.ts";

test("a clock is judged by others where no time service is seen", () => {
  assert.equal(judgeClock("clock", []).state, "ok");
  const near = { who: "PostgreSQL", skewMs: -400 };
  const agreed = judgeClock("clock", [near]);
  assert.deepEqual([agreed.state, /PostgreSQL -0\.4 s/.test(agreed.found)], ["ok", true]);
  const far = judgeClock("clock", [near, { who: "location main of acme", skewMs: 31_000 }]);
  assert.equal(far.state, "problem");
  assert.match(far.found, /location main of acme 31\.0 s/);
});
