import assert from "node:assert/strict";
import { test } from "node:test";
import { RenewedSession, type Session } from "./session.ts";

const minuteMs = 60_000;

interface Numbered extends Session {
  number: number;
}

/** Sessions of `lifeMinutes`; each fetch ends when the test says so. */
function scene(lifeMinutes: number) {
  let nowMs = 0;
  const fetches: PromiseWithResolvers<void>[] = [];
  const sessions = new RenewedSession<Numbered>(
    async () => {
      const fetched = Promise.withResolvers<void>();
      const number = fetches.push(fetched);
      const expiresAtMs = nowMs + lifeMinutes * minuteMs;
      await fetched.promise;
      return { number, expiresAtMs };
    },
    () => nowMs,
    1,
  );
  return {
    fetches,
    sessions,
    current: async () => (await sessions.current()).number,
    at: (minutes: number) => {
      nowMs = minutes * minuteMs;
    },
  };
}

test("a session is fetched once for all who ask, and renewed beside the calls", async () => {
  const { fetches, current, at } = scene(240);
  const asked = Promise.all([current(), current()]);
  fetches[0].resolve();
  assert.deepEqual([await asked, fetches.length], [[1, 1], 1]);
  at(164);
  assert.deepEqual([await current(), fetches.length], [1, 1]);
  at(166);
  // The fetch is under way, and no caller waits for it.
  assert.deepEqual([await current(), await current(), fetches.length], [1, 1, 2]);
  fetches[1].resolve();
  at(176);
  assert.equal(await current(), 2);
});

test("who asks late waits for a fresh one, though not for a cloud that does not answer", async () => {
  const { fetches, current, at } = scene(240);
  const first = current();
  fetches[0].resolve();
  await first;
  at(200);
  assert.deepEqual([await current(), await current(), fetches.length], [1, 1, 2]);
  fetches[1].resolve();
  await Promise.resolve();
  at(201);
  assert.equal(await current(), 2);
});

test("a renewal that fails is tried again after a while; at the end its error is told", async () => {
  const { fetches, current, at } = scene(60);
  const first = current();
  fetches[0].resolve();
  await first;
  at(31);
  const kept = current();
  fetches[1].reject(new Error("down"));
  assert.deepEqual([await kept, await current(), fetches.length], [1, 1, 2]);
  at(32);
  const again = current();
  fetches[2].reject(new Error("down"));
  assert.deepEqual([await again, fetches.length], [1, 3]);
  at(60);
  const last = current();
  fetches[3].reject(new Error("down"));
  await assert.rejects(last, /down/);
  const next = current();
  fetches[4].resolve();
  assert.equal(await next, 5);
});

test("one that the cloud does not take any more is replaced at once", async () => {
  const { fetches, sessions, current } = scene(60);
  const first = sessions.current();
  fetches[0].resolve();
  sessions.forget(await first);
  const second = current();
  fetches[1].resolve();
  assert.equal(await second, 2);
});
