import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { ServiceError } from "../ground/errors.ts";
import { Moved, ThreadCalls, type Served, type WorkTimes } from "./thread-calls.ts";

interface Calls {
  double(number: number): number;
  bytes(size: number): Uint8Array;
  refuse(input: undefined): void;
  note(word: string): void;
  lines(name: string): AsyncGenerator<Uint8Array> | undefined;
}

test("asked questions are answered each with its own answer, whichever comes first", async () => {
  const slow = Promise.withResolvers<number>();
  await using ends = open({ double: (number) => (number === 1 ? slow.promise : 2 * number) });
  const first = ends.asker.ask("double", 1);
  assert.equal(await ends.asker.ask("double", 2), 4);
  slow.resolve(2);
  assert.equal(await first, 2);
});

test("what fails in the other thread fails here, with its code", async () => {
  await using ends = open({
    refuse: () => Promise.reject(new ServiceError("overloaded", "planted")),
  });
  await assert.rejects(ends.asker.ask("refuse", undefined), {
    name: "ServiceError",
    code: "overloaded",
    message: "planted",
  });
  await assert.rejects(ends.asker.ask("bytes", 1), /BUG: this thread is asked for bytes/);
});

test("what is sent in one run of the code is one message, and buffers move", async () => {
  const told: string[] = [];
  const answer = new Uint8Array(3);
  await using ends = open({
    note: (word) => void told.push(word),
    bytes: () => new Moved(answer, [answer.buffer]),
  });
  let messages = 0;
  ends.port.on("message", () => messages++);
  for (const word of ["a", "b", "c"]) ends.asker.tell("note", word);
  assert.deepEqual(await ends.asker.ask("bytes", 3), new Uint8Array(3));
  assert.deepEqual([told, messages], [["a", "b", "c"], 1]);
  assert.equal(answer.byteLength, 0);
});

test("who wants the times is told when work began and ended, and nobody else is timed", async () => {
  const timed: boolean[] = [];
  await using ends = open({
    double(number, _signal, begin) {
      timed.push(begin !== undefined);
      begin?.();
      return 2 * number;
    },
    refuse: () => Promise.reject(new Error("planted")),
  });
  const { asker } = ends;
  await asker.ask("double", 1);
  const told: [string, WorkTimes][] = [];
  asker.timing = (name) => (name === "bytes" ? undefined : (times) => told.push([name, times]));
  const fromMs = Date.now();
  await asker.ask("double", 1);
  await assert.rejects(asker.ask("refuse", undefined));
  await assert.rejects(asker.ask("bytes", 1));
  assert.deepEqual(timed, [false, true]);
  assert.deepEqual(
    told.map(([name]) => name),
    ["double", "refuse"],
  );
  for (const [, { beganAtMs, endedAtMs }] of told)
    assert.ok(beganAtMs >= fromMs && endedAtMs >= beganAtMs);
});

test("nothing is answered any more: what waits is rejected", async () => {
  await using ends = open({
    double: () => new Promise(() => undefined),
    lines: (name) => endless(name),
  });
  const waiting = ends.asker.ask("double", 1);
  const stream = await streamOf(ends.asker, "a");
  ends.asker.rejectAll(new Error("ended"));
  await assert.rejects(waiting, /ended/);
  await assert.rejects(Array.fromAsync(stream), /ended/);
});

test("work that nobody waits for any more is told so, and no other", async () => {
  const stopped: number[] = [];
  const others = Promise.withResolvers<number>();
  await using ends = open({
    double(number, signal) {
      if (number === 1) return others.promise;
      return new Promise((_, reject) => {
        signal!.addEventListener("abort", () => {
          stopped.push(number);
          reject(new Error("stopped"));
        });
      });
    },
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const other = ends.asker.askUntil(first.signal, "double", 1);
  const left = ends.asker.askUntil(second.signal, "double", 2);
  second.abort();
  await assert.rejects(left, /stopped/);
  assert.deepEqual(stopped, [2]);
  others.resolve(7);
  assert.equal(await other, 7);
  first.abort();
  await assert.rejects(ends.asker.askUntil(first.signal, "double", 3), { name: "AbortError" });
});

test("a stream that is stopped while it opens is ended, also where it opens all the same", async () => {
  const made: string[] = [];
  const opening = Promise.withResolvers<void>();
  const left = new AbortController();
  await using ends = open({
    async lines(name, signal) {
      signal!.addEventListener("abort", () => opening.resolve());
      left.abort();
      await opening.promise;
      return endless(name, made);
    },
  });
  await assert.rejects(ends.asker.stream("lines", "a", left.signal), { name: "AbortError" });
  assert.equal(ends.served.openStreams, 0);
});

test("a stream is made as it is taken, and one that is left is ended", async () => {
  const made: string[] = [];
  await using ends = open({ lines: (name) => endless(name, made) });
  const stream = await streamOf(ends.asker, "a");
  assert.deepEqual(made, []);
  let taken = 0;
  for await (const bytes of stream) {
    assert.equal(Buffer.from(bytes).toString(), `a${taken}`);
    if (++taken === 5) break;
  }
  await ends.asker.ask("double", 0);
  assert.ok(made.length <= 5 + 2 && made.at(-1) === "end of a", made.join());
  assert.equal(ends.served.openStreams, 0);
});

test("streams take turns", async () => {
  const made: string[] = [];
  await using ends = open({ lines: (name) => endless(name, made) });
  const streams = await Promise.all(["a", "b"].map((name) => streamOf(ends.asker, name)));
  const readers = streams.map((stream) => stream[Symbol.asyncIterator]());
  await Promise.all(readers.map((reader) => reader.next()));
  while (made.length < 4) await ends.asker.ask("double", 0);
  assert.deepEqual(made.slice(0, 4), ["a0", "b0", "a1", "b1"]);
  for (const reader of readers) await reader.return?.();
});

test("a stream that fails tells so after what it gave", async () => {
  await using ends = open({
    async *lines() {
      yield new Uint8Array(1);
      throw new Error("planted");
    },
  });
  const sizes: number[] = [];
  await assert.rejects(async () => {
    for await (const { length } of await streamOf(ends.asker, "a")) sizes.push(length);
  }, /planted/);
  assert.deepEqual(sizes, [1]);
});

test("where no stream is given there is none", async () => {
  await using ends = open({ lines: () => undefined });
  assert.equal(await ends.asker.stream("lines", "a"), undefined);
});

async function streamOf(
  asker: ThreadCalls<Calls, object>,
  name: string,
): Promise<AsyncIterable<Uint8Array>> {
  return (await asker.stream("lines", name)) ?? assert.fail("no stream");
}

async function* endless(name: string, made: string[] = []): AsyncGenerator<Uint8Array> {
  try {
    for (let index = 0; ; index++) {
      made.push(`${name}${index}`);
      yield new TextEncoder().encode(`${name}${index}`);
    }
  } finally {
    made.push(`end of ${name}`);
  }
}

function open(calls: Partial<Served<Calls>>) {
  const { port1, port2 } = new MessageChannel();
  const served = new ThreadCalls<object, Calls>(port2);
  served.serve({ double: (number) => 2 * number, ...calls });
  return {
    asker: new ThreadCalls<Calls, object>(port1),
    served,
    port: port2,
    [Symbol.asyncDispose]: async () => port1.close(),
  };
}
