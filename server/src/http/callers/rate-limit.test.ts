import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ServiceError } from "../../ground/errors.ts";
import { newSecret } from "../../ground/secrets.ts";
import { RateLimit, SenderLimit } from "./rate-limit.ts";
import { apiKey, testService } from "../storage.fixture.ts";

suite("rate limit", () => {
  test("grants one interval at once, then fills evenly; keys do not share", () => {
    let nowMs = 0;
    const limit = new RateLimit(10, 1_000, () => nowMs);
    for (let index = 0; index < 10; index += 1) limit.take("a");
    assert.throws(
      () => limit.take("a"),
      (error) =>
        error instanceof ServiceError &&
        error.code === "rate_limited" &&
        error.details["retryAfterSeconds"] === 1,
    );
    limit.take("b");
    nowMs += 100;
    limit.take("a");
    assert.throws(() => limit.take("a"));
    nowMs += 60_000;
    for (let index = 0; index < 10; index += 1) limit.take("a");
    assert.throws(() => limit.take("a"));
  });

  test("says how long to wait", () => {
    const limit = new RateLimit(2, 60_000, () => 0);
    limit.take("a");
    limit.take("a");
    assert.throws(
      () => limit.take("a"),
      (error) => error instanceof ServiceError && error.details["retryAfterSeconds"] === 30,
    );
  });

  test("0 lets everything pass", () => {
    const limit = new RateLimit(0, 1_000, () => 0);
    for (let index = 0; index < 1_000; index += 1) limit.take("a");
  });
});

suite("senders", () => {
  test("the addresses of an IPv6 /64 share one allowance", () => {
    const limit = new SenderLimit(2, 60_000, () => 0);
    limit.take("2001:db8::1");
    limit.take("2001:db8::2");
    assert.throws(() => limit.take("2001:db8::3"), { code: "rate_limited" });
    limit.take("2001:db8:0:1::3");
    limit.giveBack("2001:db8::4");
    limit.take("2001:db8::3");
  });

  test("T20: guessed keys get 429 from the threshold; valid ones of that address always pass", async (t) => {
    // Time stands still: in six seconds the allowance fills by the 100 requests that are too many.
    t.mock.method(performance, "now", () => 0);
    const service = testService();
    const present = async (secret: string) => {
      const headers = { authorization: `Bearer ${secret}` };
      const reply = await service.app.inject({ url: "/api/v1/whoami", headers });
      return reply.statusCode;
    };
    const statuses: number[] = [];
    for (let index = 0; index < 1_100; index++) statuses.push(await present(newSecret("ak_")));
    assert.deepEqual(new Set(statuses.slice(0, 1_000)), new Set([401]));
    assert.ok(statuses.slice(1_000).includes(429));
    assert.equal(await present(apiKey), 200);
  });
});
