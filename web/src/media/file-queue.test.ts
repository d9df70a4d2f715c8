import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FileQueue } from "./file-queue.ts";

/** Files whose reading ends when the test says so. */
class Files {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (bytes: Uint8Array) => void>();

  of(key: string) {
    return {
      key,
      read: () =>
        new Promise<Uint8Array>((resolve) => {
          this.begun.push(key);
          this.#ends.set(key, resolve);
        }),
    };
  }

  async end(key: string, bytes = 1): Promise<void> {
    this.#ends.get(key)!(new Uint8Array(bytes));
    await turn();
  }
}

const never = new AbortController().signal;

test("few files are read at a time, the others in the order in which they were wanted", async () => {
  const [files, queue] = [new Files(), new FileQueue(2)];
  const read = ["a", "b", "c", "d"].map((key) => queue.read(files.of(key), never));
  await turn();
  assert.deepEqual(files.begun, ["a", "b"]);
  await files.end("b");
  assert.deepEqual(files.begun, ["a", "b", "c"]);
  await files.end("a");
  await files.end("c");
  await files.end("d");
  assert.deepEqual(files.begun, ["a", "b", "c", "d"]);
  assert.equal((await Promise.all(read)).length, 4);
});

test("sliding over a hundred pictures reads those that had begun, and the last", async () => {
  const [files, queue] = [new Files(), new FileQueue(1)];
  let last: Promise<Uint8Array | undefined> | undefined;
  let stopped = new AbortController();
  for (let step = 0; step < 100; step++) {
    stopped.abort();
    stopped = new AbortController();
    last = queue.read(files.of(`step ${step}`), stopped.signal);
    await turn();
  }
  await files.end("step 0");
  await files.end("step 99");
  assert.equal((await last)?.length, 1);
  assert.deepEqual(files.begun, ["step 0", "step 99"]);
});

test("a file is read once, also when two want it and when it is wanted again", async () => {
  const [files, queue] = [new Files(), new FileQueue(1)];
  const wanted = [1, 2, 3].map(() => queue.read(files.of("a"), never));
  const other = queue.read(files.of("b"), never);
  await turn();
  await files.end("a");
  await files.end("b");
  assert.equal((await Promise.all([...wanted, other])).length, 4);
  await queue.read(files.of("a"), never);
  assert.deepEqual(files.begun, ["a", "b"]);
});

test("who waits for a file that came meanwhile gives the turn to the next", async () => {
  const [files, queue] = [new Files(), new FileQueue(1)];
  void queue.read(files.of("a"), never);
  // Both wait for the same place; the second needs none once the first has read it.
  const twice = [queue.read(files.of("b"), never), queue.read(files.of("b"), never)];
  const stopped = new AbortController();
  const gone = queue.read(files.of("c"), stopped.signal);
  const last = queue.read(files.of("d"), never);
  stopped.abort();
  await files.end("a");
  await files.end("b");
  await files.end("d");
  assert.equal(
    (await Promise.all(twice)).every((bytes) => bytes?.length === 1),
    true,
  );
  assert.equal(await gone, undefined);
  assert.equal((await last)?.length, 1);
});

test("more than a number of bytes are not kept: the longest unused ones go", async () => {
  const [files, queue] = [new Files(), new FileQueue(1, 10)];
  for (const key of ["a", "b", "c"]) {
    const read = queue.read(files.of(key), never);
    await turn();
    await files.end(key, 4);
    await read;
    queue.kept(files.of("a"));
  }
  assert.deepEqual(
    ["a", "b", "c"].filter((key) => queue.kept(files.of(key)) !== undefined),
    ["a", "c"],
  );
});

test("a file that cannot be read says so, and the others go on", async () => {
  const [files, queue] = [new Files(), new FileQueue(1)];
  const failed = queue.read({ key: "x", read: () => Promise.reject(new Error("gone")) }, never);
  const read = queue.read(files.of("a"), never);
  await assert.rejects(failed, /gone/);
  await turn();
  await files.end("a");
  assert.equal((await read)?.length, 1);
});
