import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "../errors.ts";
import { Guesses } from "./guesses.ts";

const wrong = async (): Promise<never> => {
  throw new ServiceError("unauthorized", "wrong");
};
const minuteMs = 60_000;

test("wrong attempts are counted, also when they come at once; right ones and others are not", async () => {
  let nowMs = 0;
  const guesses = new Guesses(() => nowMs);
  const attempt = (run: () => Promise<unknown>, email = "ada@acme.test") =>
    guesses.attempt(email, "192.0.2.1", run);
  for (let index = 0; index < 40; index++) await attempt(async () => undefined);
  const refused = async (): Promise<never> => {
    throw new ServiceError("forbidden", "right, but not there");
  };
  for (let index = 0; index < 40; index++) {
    await assert.rejects(attempt(refused), { code: "forbidden" });
  }
  const all = await Promise.allSettled(Array.from({ length: 15 }, () => attempt(wrong)));
  const codes = all.map((one) => ((one as PromiseRejectedResult).reason as ServiceError).code);
  assert.equal(codes.filter((code) => code === "unauthorized").length, 10);
  assert.equal(codes.filter((code) => code === "rate_limited").length, 5);
  await assert.rejects(
    attempt(async () => undefined, "ADA@acme.test"),
    { code: "rate_limited" },
  );
  nowMs += minuteMs;
  assert.equal(await attempt(async () => "in"), "in");
});

test("an address has thirty wrong attempts, over all accounts", async () => {
  const guesses = new Guesses(() => 0);
  for (let index = 0; index < 30; index++) {
    const attempt = guesses.attempt(`p${index}@acme.test`, "a", wrong);
    await assert.rejects(attempt, { code: "unauthorized" });
  }
  await assert.rejects(guesses.attempt("new@acme.test", "a", wrong), { code: "rate_limited" });
  assert.equal(await guesses.attempt("new@acme.test", "b", async () => "in"), "in");
});

test("of many failures of one account the audit log gets one in five minutes", () => {
  let nowMs = 0;
  const guesses = new Guesses(() => nowMs);
  assert.ok(guesses.isNoteworthy("ada@acme.test"));
  assert.ok(!guesses.isNoteworthy("Ada@acme.test"));
  assert.ok(guesses.isNoteworthy("max@acme.test"));
  nowMs += 5 * minuteMs;
  assert.ok(guesses.isNoteworthy("ada@acme.test"));
});
