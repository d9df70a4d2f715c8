import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "../../ground/errors.ts";
import { GuessLimit } from "./guess-limit.ts";

const wrong = async (): Promise<never> => {
  throw new ServiceError("unauthorized", "wrong");
};
const right = async (): Promise<string> => "in";
const minuteMs = 60_000;

/** Counts the attempts by how they ended. */
async function endings(attempts: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const ending of await Promise.allSettled(attempts)) {
    const how = ending.status === "fulfilled" ? "in" : (ending.reason as ServiceError).code;
    counts[how] = (counts[how] ?? 0) + 1;
  }
  return counts;
}

test("wrong attempts are counted, also when they come at once; right ones are not", async () => {
  let nowMs = 0;
  const guesses = new GuessLimit(() => nowMs);
  const attempt = (run: () => Promise<unknown>, email = "ada@acme.test") =>
    guesses.attempt(email, "192.0.2.1", run);
  for (let index = 0; index < 30; index++) await attempt(right);
  const refused = async (): Promise<never> => {
    throw new ServiceError("forbidden", "right, but not there");
  };
  for (let index = 0; index < 30; index++) {
    await assert.rejects(attempt(refused), { code: "forbidden" });
  }
  const all = await endings(Array.from({ length: 15 }, () => attempt(wrong)));
  assert.deepEqual(all, { unauthorized: 10, rate_limited: 5 });
  await assert.rejects(attempt(right, "ADA@acme.test"), { code: "rate_limited" });
  nowMs += minuteMs;
  assert.equal(await attempt(right), "in");
});

test("right attempts at once wait for each other instead of being refused", async () => {
  const guesses = new GuessLimit(() => 0);
  const later = () => new Promise<void>((resolve) => setImmediate(resolve));
  const attempts = (count: number, accounts: number) =>
    Array.from({ length: count }, (_, index) =>
      guesses.attempt(`p${index % accounts}@acme.test`, "192.0.2.1", later),
    );
  assert.deepEqual(await endings(attempts(12, 1)), { in: 12 });
  assert.deepEqual(await endings(attempts(40, 4)), { in: 40 });
  assert.deepEqual(await endings(attempts(200, 200)), { in: 200 });
});

test("a flood of right attempts counts, and leaves others room to wait", async () => {
  let nowMs = 0;
  const guesses = new GuessLimit(() => nowMs);
  const later = () => new Promise<void>((resolve) => setImmediate(resolve));
  const attempts = (count: number, email: string, sender = "192.0.2.1") =>
    Array.from({ length: count }, () => guesses.attempt(email, sender, later));
  const flood = endings(attempts(2_000, "ada@acme.test"));
  const others = endings(attempts(20, "bob@acme.test", "192.0.2.2"));
  assert.deepEqual(await others, { in: 20 });
  // 60 are free, and as many as may be wrong come after; half of the places are of one account.
  const { in: taken, overloaded = 0 } = await flood;
  assert.equal(taken, 70);
  assert.ok(overloaded >= 2_000 - 510, String(overloaded));
  assert.deepEqual(await endings(attempts(1, "ada@acme.test")), { rate_limited: 1 });
  assert.deepEqual(await endings(attempts(5, "eve@acme.test")), { in: 5 });
  nowMs += minuteMs;
  assert.deepEqual(await endings(attempts(30, "ada@acme.test")), { in: 30 });
});

test("nobody locks an account out from elsewhere, but many networks have a bound together", async () => {
  const guesses = new GuessLimit(() => 0);
  const attempt = (address: string, run: () => Promise<unknown>) =>
    guesses.attempt("ada@acme.test", address, run);
  await attempt("198.51.100.1", right);
  const guess = (sender: number, count: number) =>
    endings(Array.from({ length: count }, () => attempt(`192.0.2.${sender}`, wrong)));
  assert.deepEqual(await guess(1, 20), { unauthorized: 10, rate_limited: 10 });
  assert.equal(await attempt("198.51.100.2", right), "in");
  for (let sender = 2; sender <= 10; sender++) await guess(sender, 10);
  assert.deepEqual(await guess(11, 1), { rate_limited: 1 });
  assert.equal(await attempt("198.51.100.1", right), "in");
});

test("a sender has thirty wrong attempts, over all accounts; of IPv6 its /64", async () => {
  for (const [one, other, elsewhere] of [
    ["192.0.2.1", "192.0.2.1", "192.0.2.2"],
    ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:1::1"],
  ] as const) {
    const guesses = new GuessLimit(() => 0);
    for (let index = 0; index < 30; index++) {
      const attempt = guesses.attempt(`p${index}@acme.test`, one, wrong);
      await assert.rejects(attempt, { code: "unauthorized" });
    }
    const refused = guesses.attempt("new@acme.test", other, wrong);
    await assert.rejects(refused, { code: "rate_limited" });
    assert.equal(await guesses.attempt("new@acme.test", elsewhere, right), "in");
  }
});

test("of many failures of one account the audit log gets one in five minutes", () => {
  let nowMs = 0;
  const guesses = new GuessLimit(() => nowMs);
  assert.ok(guesses.isNoteworthy("ada@acme.test"));
  assert.ok(!guesses.isNoteworthy("Ada@acme.test"));
  assert.ok(guesses.isNoteworthy("max@acme.test"));
  nowMs += 5 * minuteMs;
  assert.ok(guesses.isNoteworthy("ada@acme.test"));
});
