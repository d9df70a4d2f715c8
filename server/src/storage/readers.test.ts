import assert from "node:assert/strict";
import { test } from "node:test";
import { Readers } from "./readers.ts";

const bytes = { max: 1, left: 1 };
const query = {} as Parameters<Readers["stream"]>[0];

test("while every reader of long reads is held up, short reads and short streams are answered", async () => {
  const planted = Array.from({ length: 3 }, () => new PlantedReader());
  const readers = new Readers(planted);
  const long = Array.from({ length: 5 }, () =>
    readers.reply({ name: "foldertree.read", input: {}, bytes }),
  );
  const exported = readers.stream(query);
  assert.deepEqual(await readers.read({ name: "credential.find", input: {} }), "credential.find");
  assert.deepEqual(await readers.reply({ name: "query.experiment", input: {}, bytes }), [
    "query.experiment",
  ]);
  planted[0].streamPoints = 100;
  assert.deepEqual(await Array.fromAsync(await readers.stream(query)), [100]);
  // The others have the long ones in equal parts, and the stream that was too long.
  assert.deepEqual(
    planted.map(({ held }) => held.length),
    [0, 3, 3],
  );
  for (const { held } of planted) for (const answer of held) answer();
  await Promise.all([...long, exported]);
});

test("a stream counts as work until it is left", async () => {
  const planted = Array.from({ length: 3 }, () => new PlantedReader());
  const readers = new Readers(planted);
  const open = async () => {
    const stream = readers.stream(query);
    await new Promise(setImmediate);
    for (const { held } of planted) held.pop()?.();
    return (await stream) as AsyncGenerator;
  };
  const first = await open();
  assert.deepEqual(await first.next(), { value: 1e7, done: false });
  await open();
  await first.return(undefined);
  await open();
  assert.deepEqual(
    planted.map(({ streams }) => streams),
    [0, 2, 1],
  );
});

test("one reader alone reads everything", async () => {
  const planted = new PlantedReader();
  planted.isHeldUp = false;
  const readers = new Readers([planted]);
  await readers.reply({ name: "foldertree.read", input: {}, bytes });
  await readers.read({ name: "credential.find", input: {} });
  assert.deepEqual(await Array.fromAsync(await readers.stream(query)), [1e7]);
});

/**
 * Answers what is asked of it by its name; the long ones, and streams without an end, when the test
 * lets it.
 */
class PlantedReader {
  isHeldUp = true;
  streamPoints = 1e7;
  streams = 0;
  readonly held: (() => void)[] = [];

  readonly ask = (async (kind: string, { name }: { name: string }) => {
    if (name === "foldertree.read") await this.#turn();
    return kind === "reply" ? [name] : name;
  }) as never;

  readonly askUntil = (() => Promise.reject(new Error("BUG: nothing is stopped here"))) as never;

  readonly stream = (async (_: string, { pointsMax }: { pointsMax: number }) => {
    if (this.streamPoints > pointsMax) return undefined;
    if (pointsMax === Infinity) await this.#turn();
    this.streams++;
    return (async function* (points: number) {
      yield points;
    })(this.streamPoints);
  }) as never;

  #turn(): Promise<void> {
    return this.isHeldUp ? new Promise((resolve) => this.held.push(resolve)) : Promise.resolve();
  }
}
