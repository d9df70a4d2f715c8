import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../random.ts";
import { Batcher } from "./batcher.ts";
import { Cores } from "./cores.ts";
import { EventQueue } from "./event-queue.ts";
import { Line } from "./line.ts";
import { RowLocks } from "./row-locks.ts";
import { exponential } from "./exponential.ts";
import { runOtherWork } from "./other-work.ts";
import { Simulation } from "./simulation.ts";
import { Thread } from "./thread.ts";
import { Waits } from "./waits.ts";

test("an event queue gives what a sorted array gives, whatever the order", () => {
  const random = new Random(1);
  const queue = new EventQueue<number>();
  const model: { at: number; thing: number }[] = [];
  for (let thing = 0; thing < 5_000; thing++) {
    const at = random.below(500);
    queue.add(at, thing);
    model.push({ at, thing });
    if (!random.chance(0.4)) continue;
    // The sort is stable, so what is due at one time stays in the order of arrival.
    model.sort((one, other) => one.at - other.at);
    assert.equal(queue.firstAt, model[0].at);
    assert.equal(queue.take(), model.shift()!.thing);
  }
  model.sort((one, other) => one.at - other.at);
  while (queue.size > 0) assert.equal(queue.take(), model.shift()!.thing);
  assert.equal(model.length, 0);
  assert.equal(queue.firstAt, Infinity);
});

test("a line gives things back in their order", () => {
  const line = new Line<number>();
  let [given, taken] = [0, 0];
  const random = new Random(2);
  for (let round = 0; round < 20_000; round++) {
    if (random.chance(0.6)) line.push(given++);
    else if (line.length > 0) assert.equal(line.shift(), taken++);
  }
  assert.equal(line.length, given - taken);
});

test("a percentile of waits is that of the sorted durations, within 2 %", () => {
  const random = new Random(3);
  const waits = new Waits();
  const all = Array.from({ length: 20_000 }, () => exponential(random, 0.01));
  for (const one of all) waits.note(one);
  all.sort((one, other) => one - other);
  for (const percent of [1, 50, 99, 100]) {
    const exact = all[Math.ceil((all.length * percent) / 100) - 1];
    const ratio = waits.percentileS(percent) / exact;
    assert.ok(ratio > 0.98 && ratio < 1.021, `${percent}: ${ratio}`);
  }
  assert.equal(waits.longestS, all.at(-1));
});

test("a line before one server waits as M/M/1 does, at 70 % of its capacity", () => {
  const meanServiceS = 0.0001;
  const random = new Random(4);
  const service = () => exponential(random, meanServiceS);
  const waits = line({ servers: 1, arrivalsPerS: 7_000, service, random });
  // T = service / (1 - utilisation)
  near(waits.meanS, meanServiceS / (1 - 0.7), 0.05);
  // The time in the system is exponential: its 99th percentile is ln 100 times the mean.
  near(waits.percentileS(99), (Math.log(100) * meanServiceS) / (1 - 0.7), 0.08);
});

test("with equal service times it waits as M/D/1 does", () => {
  const serviceS = 0.0001;
  const random = new Random(5);
  const waits = line({ servers: 1, arrivalsPerS: 8_000, service: () => serviceS, random });
  // Pollaczek and Khinchine: T = service + utilisation · service / (2 (1 - utilisation))
  near(waits.meanS, serviceS + (0.8 * serviceS) / (2 * 0.2), 0.05);
});

test("four servers wait as Erlang's C formula says", () => {
  const meanServiceS = 0.0001;
  const random = new Random(6);
  const service = () => exponential(random, meanServiceS);
  const waits = line({ servers: 4, arrivalsPerS: 32_000, service, random });
  const expected = meanServiceS + (erlangC(4, 3.2) * meanServiceS) / (4 - 3.2);
  near(waits.meanS, expected, 0.05);
});

test("long work lets short work go first", () => {
  const simulation = new Simulation();
  const cores = new Cores(simulation, 1);
  const ends: string[] = [];
  cores.use({ seconds: 1, done: () => ends.push(`long ${simulation.nowS.toFixed(3)}`) });
  cores.use({ seconds: 0.001, done: () => ends.push(`short ${simulation.nowS.toFixed(3)}`) });
  simulation.runUntil(10);
  assert.deepEqual(ends, ["short 0.003", "long 1.001"]);
  near(cores.usedS, 1.001, 1e-9);
});

test("other programs take their share of the cores, and ours get the rest", () => {
  const simulation = new Simulation();
  const cores = new Cores(simulation, 2);
  runOtherWork(simulation, cores, 1.5);
  let ownS = 0;
  const done = (): void => {
    ownS += 0.001;
    go();
  };
  const go = (): void => cores.use({ seconds: 0.001, done });
  for (let thread = 0; thread < 4; thread++) go();
  simulation.runUntil(100);
  near(ownS / 100, 0.5, 0.02);
  near(cores.usedS / 100, 2, 0.01);
});

test("a thread works alone although its machine has more cores", () => {
  const simulation = new Simulation();
  const thread = new Thread(new Cores(simulation, 8));
  const ends: number[] = [];
  for (let count = 0; count < 3; count++) thread.run(1, () => ends.push(simulation.nowS));
  simulation.runUntil(10);
  assert.deepEqual(
    ends.map((end) => Math.round(end)),
    [1, 2, 3],
  );
  near(thread.usedS, 3, 1e-9);
});

test("a batch is what waits when the one before ends, up to its greatest weight", () => {
  const simulation = new Simulation();
  const batches: string[] = [];
  const batcher = new Batcher<string>({
    atOnce: 1,
    weightMax: 3,
    weightOf: () => 1,
    serve: (batch, done) => {
      batches.push(`${simulation.nowS} ${batch.join("")}`);
      simulation.after(10, done);
    },
  });
  for (const [at, name] of ["a", "b", "c", "d", "e", "f"].entries())
    simulation.after(at, () => batcher.add(name));
  simulation.runUntil(100);
  assert.deepEqual(batches, ["0 a", "10 bcd", "20 ef"]);
  assert.deepEqual([batcher.batches, batcher.items, batcher.waiting], [3, 6, 0]);
});

test("clients that ask again at once make one group of all, or two that take turns", () => {
  // A batch takes 1 s, and there are 20 clients.
  near(closedLoop("answers first"), 20, 0.01);
  near(closedLoop("next batch first"), 10, 0.01);
});

function closedLoop(order: "answers first" | "next batch first"): number {
  const simulation = new Simulation();
  let served = 0;
  const batcher: Batcher<number> = new Batcher<number>({
    atOnce: 1,
    weightMax: Infinity,
    weightOf: () => 1,
    serve: (batch, done) => {
      simulation.after(1, () => {
        served += batch.length;
        if (order === "next batch first") done();
        for (const client of batch) batcher.add(client);
        if (order === "answers first") done();
      });
    },
  });
  for (let client = 0; client < 20; client++) batcher.add(client);
  simulation.runUntil(1_000);
  return served / 1_000;
}

test("locks of rows are held by one, and are given on in the order of arrival", () => {
  const locks = new RowLocks();
  const taken: string[] = [];
  const releases = new Map<string, () => void>();
  const take = (name: string, rows: number[]) =>
    locks.take(rows, (release) => {
      taken.push(name);
      releases.set(name, release);
    });
  take("a", [2, 1]);
  take("b", [2, 3]);
  take("c", [3, 3]);
  take("d", [1]);
  // b waits at row 2, so it does not hold row 3 yet.
  assert.deepEqual(taken, ["a", "c"]);
  releases.get("a")!();
  assert.deepEqual(taken, ["a", "c", "d"]);
  releases.get("c")!();
  assert.deepEqual(taken, ["a", "c", "d", "b"]);
  releases.get("b")!();
  releases.get("d")!();
  take("e", [1, 2, 3]);
  assert.equal(taken.at(-1), "e");
});

function line(given: {
  servers: number;
  arrivalsPerS: number;
  service: () => number;
  random: Random;
}): Waits {
  const simulation = new Simulation();
  const cores = new Cores(simulation, given.servers);
  const waits = new Waits();
  const arrive = (): void => {
    simulation.after(exponential(given.random, 1 / given.arrivalsPerS), arrive);
    const sinceS = simulation.nowS;
    // Far shorter than a turn of the cores, so that it is first come, first served.
    cores.use({ seconds: given.service(), done: () => waits.note(simulation.nowS - sinceS) });
  };
  arrive();
  simulation.runUntil(30);
  return waits;
}

/** The probability that all servers are busy. */
function erlangC(servers: number, load: number): number {
  let [term, sum] = [1, 0];
  for (let busy = 0; busy < servers; busy++) {
    sum += term;
    term *= load / (busy + 1);
  }
  const all = (term * servers) / (servers - load);
  return all / (sum + all);
}

function near(found: number, expected: number, tolerance: number): void {
  const message = `${found} is not within ${tolerance} of ${expected}`;
  assert.ok(Math.abs(found / expected - 1) <= tolerance, message);
}
