import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError } from "../database/database.ts";
import { Readers } from "./readers.ts";

const bytes = { max: 1, left: 1 };
const query = {} as Parameters<Readers["stream"]>[0];

test("while every reader of long reads is held up, short reads and short streams are answered", async () => {
  const planted = Array.from({ length: 3 }, () => new PlantedReader());
  const readers = readersOf(planted);
  const long = Array.from({ length: 5 }, () =>
    readers.reply({ name: "foldertree.read", input: {}, bytes }),
  );
  const exported = readers.stream(query);
  assert.deepEqual(await readers.read({ name: "credentials.find", input: {} }), "credentials.find");
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

test("one organization's reads leave half of the turns to others", async () => {
  const long = new PlantedReader();
  const readers = readersOf([new PlantedReader(), long]);
  const ask = (organizationId: string) =>
    readers.read({ name: "run.search", input: { organizationId } });
  const many = Array.from({ length: 20 }, () => ask("acme"));
  await new Promise(setImmediate);
  assert.equal(long.held.length, 4);
  const other = ask("rival");
  await new Promise(setImmediate);
  assert.equal(long.held.length, 5);
  long.held.pop()!();
  assert.equal(await other, "run.search");
  for (let left = 20; left > 0; left--) {
    assert.ok(long.held.length <= 4);
    long.held.pop()!();
    await new Promise(setImmediate);
  }
  await Promise.all(many);
});

test("while the database is away a reader that would have to start is unavailable", async () => {
  const away = () => Promise.reject(new DatabaseError("unavailable", "away"));
  const readers = new Readers(new PlantedReader() as never, [away], away);
  const unavailable = { code: "storage_unavailable" };
  await assert.rejects(readers.reply({ name: "foldertree.read", input: {}, bytes }), unavailable);
  const { signal } = new AbortController();
  await assert.rejects(readers.pointsCsv({} as never, signal), unavailable);
  await assert.rejects(readers.tableCsv({} as never, signal), unavailable);
});

test("a stream counts as work until it is left", async () => {
  const planted = Array.from({ length: 3 }, () => new PlantedReader());
  const readers = readersOf(planted);
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
  const readers = readersOf([planted]);
  await readers.reply({ name: "foldertree.read", input: {}, bytes });
  await readers.read({ name: "credentials.find", input: {} });
  assert.deepEqual(await Array.fromAsync(await readers.stream(query)), [1e7]);
});

test("what takes long is begun anew by the patient reader, in turns of organizations", async () => {
  const quick = new PlantedReader();
  const patient = new PlantedReader();
  quick.isLate = true;
  let opened = 0;
  const readers = readersOf([new PlantedReader(), quick], async () => {
    opened++;
    return patient;
  });
  assert.deepEqual(await readers.read({ name: "credentials.find", input: {} }), "credentials.find");
  assert.equal(opened, 0);
  const done: string[] = [];
  const asked = ["acme", "acme", "acme", "rival"].map(async (organizationId) => {
    await readers.reply({ name: "foldertree.read", input: { organizationId }, bytes });
    done.push(organizationId);
  });
  for (let turn = 0; turn < 4; turn++) {
    await new Promise(setImmediate);
    assert.equal(patient.held.length, 1, "one at a time");
    patient.held.pop()!();
    await new Promise(setImmediate);
  }
  await Promise.all(asked);
  assert.deepEqual(done, ["acme", "acme", "rival", "acme"]);
  assert.deepEqual(new Set(quick.paces), new Set(["quick"]));
  assert.deepEqual(new Set(patient.paces), new Set(["patient"]));
});

test("pages of a walk go to who has its order: the patient reader, once one took long", async () => {
  const quick = [new PlantedReader(), new PlantedReader()];
  const patient = new PlantedReader();
  const readers = readersOf([new PlantedReader(), ...quick], async () => patient);
  const page = (walk: string) => {
    const input = { organizationId: "acme", body: { after: `${walk.repeat(26)}.place` } };
    return readers.reply({ name: "views.table", input, bytes });
  };
  for (let reads = 0; reads < 3; reads++) await page("a");
  assert.deepEqual(
    quick.map(({ paces }) => paces.length),
    [3, 0],
  );
  quick[0].isLate = true;
  for (let reads = 0; reads < 3; reads++) await page("a");
  assert.deepEqual([quick[0].paces.length, quick[1].paces.length], [4, 0]);
  assert.deepEqual(patient.paces, ["patient", "patient", "patient"]);
});

test("what takes long for the patient reader too is refused in words, with or without one", async () => {
  const late = new PlantedReader();
  late.isLate = true;
  const ask = (readers: Readers) => readers.read({ name: "views.audit", input: {} });
  const refused = { name: "ServiceError", code: "bad_request", message: /more than 10 seconds/ };
  await assert.rejects(ask(readersOf([late], async () => late)), refused);
  assert.deepEqual(late.paces, ["quick", "patient"]);
  await assert.rejects(ask(readersOf([late])), refused);
  assert.deepEqual(late.paces, ["quick", "patient", "patient"]);
});

/** The first is that of short reads. */
function readersOf(planted: PlantedReader[], patient?: () => Promise<PlantedReader>): Readers {
  const [short, ...long] = planted;
  return new Readers(
    short,
    long.map((one) => async () => one),
    patient,
  );
}

/**
 * Replies to reads by their name; to the long ones, and to endless streams, when the test lets it.
 */
class PlantedReader {
  isHeldUp = true;
  streamPoints = 1e7;
  streams = 0;
  isLate = false;
  readonly paces: unknown[] = [];
  readonly held: (() => void)[] = [];

  readonly ask = (async (kind: string, { name, pace }: { name: string; pace?: string }) => {
    if (pace !== undefined) this.paces.push(pace);
    if (this.isLate) throw new DatabaseError("late", "planted");
    if (name === "foldertree.read" || name === "run.search") await this.#turn();
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
