import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError, type Reader } from "../database.ts";
import { GuardedReads } from "./guarded-reads.ts";

test("while a worker does not answer one read tries it, and all others fail at once", async () => {
  const waiting: PromiseWithResolvers<void>[] = [];
  const reads = new GuardedReads({
    async read(work) {
      const answer = Promise.withResolvers<void>();
      waiting.push(answer);
      await answer.promise;
      return work({} as Reader);
    },
  });
  const read = () => reads.read(async () => "read");
  const away = new DatabaseError("unavailable", "away");

  const first = [read(), read()];
  assert.equal(waiting.length, 2, "nobody knows yet");
  for (const one of waiting) one.reject(away);
  for (const one of first) await assert.rejects(one, away);

  const trying = read();
  await assert.rejects(read(), /is tried again/);
  assert.equal(waiting.length, 3);
  waiting[2].reject(away);
  await assert.rejects(trying, away);

  const again = read();
  waiting[3].resolve();
  assert.equal(await again, "read");
  const both = [read(), read()];
  for (const one of waiting.slice(4)) one.resolve();
  assert.deepEqual(await Promise.all(both), ["read", "read"]);
});
