import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { DatabaseError, type Reader, type Transaction } from "../database.ts";
import { WatchedWorker } from "./watched-worker.ts";

type Work = (reader: Transaction) => Promise<never>;

/** A worker whose questions a test answers; what else is asked of it waits until it is cut. */
function fakeWorker() {
  const questions: PromiseWithResolvers<void>[] = [];
  const waiting: PromiseWithResolvers<never>[] = [];
  const waits = () => {
    const one = Promise.withResolvers<never>();
    waiting.push(one);
    return one.promise;
  };
  const cutOff = new DatabaseError("unavailable", "cut off");
  return {
    questions,
    waiting,
    read: waits as (work: (reader: Reader) => Promise<never>) => Promise<never>,
    write: waits as (work: Work) => Promise<never>,
    inner: {
      async read(work: (reader: Reader) => Promise<never>): Promise<never> {
        const one = Promise.withResolvers<void>();
        questions.push(one);
        await one.promise;
        return work({} as Reader);
      },
      write: waits as (work: Work) => Promise<never>,
      [Symbol.asyncDispose]: async () => undefined,
    },
    cut() {
      for (const one of [...waiting.splice(0), ...questions]) one.reject(cutOff);
    },
  };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    mock.timers.tick(1_000);
    await setImmediate();
  }
}

test("a silent worker is cut off, and refuses at once until it answers again", async (t) => {
  mock.timers.enable({ apis: ["setInterval"] });
  t.after(() => mock.timers.reset());
  const fake = fakeWorker();
  const states: string[] = [];
  await using worker = new WatchedWorker(fake as never, "host:5432", (state) => states.push(state));
  const waiting = [worker.read(async () => 1), worker.write(async () => 1)];
  const outcomes = Promise.allSettled(waiting);
  await turns(1);
  fake.questions[0].resolve();
  await setImmediate();
  await turns(5);
  assert.equal(worker.state, "answers", "the second question waits");
  assert.equal(fake.waiting.length, 2);
  await turns(1);
  assert.equal(worker.state, "away");
  for (const { status } of await outcomes) assert.equal(status, "rejected");

  await assert.rejects(
    worker.read(async () => 1),
    /does not answer/,
  );
  await assert.rejects(
    worker.write(async () => 1),
    /does not answer/,
  );
  assert.equal(fake.waiting.length, 0, "nothing is asked of it");

  await turns(1);
  fake.questions.at(-1)!.resolve();
  await setImmediate();
  assert.equal(worker.state, "answers");
  const again = worker.read(async () => 1);
  assert.equal(fake.waiting.length, 1);
  fake.cut();
  await assert.rejects(again);
  assert.deepEqual(states, ["away", "answers"]);
});

test("after damage nothing is written for a while, and reads go on", async () => {
  const fake = fakeWorker();
  const states: string[] = [];
  await using worker = new WatchedWorker(fake as never, "host:5432", (state) => states.push(state));
  const first = worker.write(async () => 1);
  fake.waiting[0].reject(new DatabaseError("damaged", "invalid page in block 1"));
  await assert.rejects(first, /invalid page/);
  await assert.rejects(
    worker.write(async () => 1),
    /reported damage/,
  );
  assert.equal(fake.waiting.length, 1, "nothing is written");
  worker.read(async () => 1).catch(() => undefined);
  assert.equal(fake.waiting.length, 2);
  assert.deepEqual([worker.state, states], ["damaged", ["damaged"]]);
});
