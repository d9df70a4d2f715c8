import assert from "node:assert/strict";
import { test } from "node:test";
import { lasting, unanswered } from "./address.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

test("a certificate is too old by what it lasts, because some are renewed every few hours", () => {
  for (const [lifeMs, leftMs, state, found] of [
    [90 * dayMs, 30 * dayMs, "ok", "good for 30 days"],
    [90 * dayMs, 13 * dayMs, "problem", "good for 13 days"],
    [6 * dayMs, 2 * dayMs, "ok", "good for 2 days"],
    [12 * hourMs, 4 * hourMs, "ok", "good for 4 hours"],
    [12 * hourMs, hourMs, "problem", "good for 1 hour"],
    [90 * dayMs, 1, "problem", "good for less than an hour"],
    [90 * dayMs, 0, "problem", "ended less than an hour ago"],
    [90 * dayMs, -hourMs, "problem", "ended 1 hour ago"],
    [90 * dayMs, -3 * dayMs, "problem", "ended 3 days ago"],
    [NaN, NaN, "advice", "it could not be read"],
  ] as const) {
    const finding = lasting({ fromMs: leftMs - lifeMs, toMs: leftMs }, 0);
    assert.deepEqual([finding.state, finding.found], [state, found]);
  }
});

test("a certificate that clients refuse because it has ended is to be renewed", () => {
  const of = (code: string) => unanswered("https://a.test", Object.assign(new Error(), { code }));
  const { about, found, advice } = of("CERT_HAS_EXPIRED");
  assert.deepEqual([about, found, advice!.startsWith("Renew it")], ["certificate", "ended", true]);
  assert.equal(of("ECONNREFUSED").found, "no answer: ECONNREFUSED");
});
