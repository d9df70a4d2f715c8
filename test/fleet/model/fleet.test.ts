import assert from "node:assert/strict";
import { test } from "node:test";
import type { Costs } from "./costs.ts";
import { type FleetSettings, type Outcome, runFleet, type Second } from "./fleet.ts";

/** Round figures; tests do not depend on what a machine measured. */
const costs: Costs = {
  main: { requestUs: 200, eventUs: 2, columnPointUs: 0.2 },
  collector: { requestUs: 0, eventUs: 0, columnPointUs: 0 },
  reader: { readUs: 100, requestUs: 20 },
  writer: { groupUs: 500, requestUs: 20, recordUs: 50, pointUs: 0.5 },
  background: { foldUs: 300, recordUs: 10, pointUs: 0.1, sealedPointUs: 0.5 },
  server: {
    readUs: 50,
    foldUs: 300,
    groupUs: 300,
    recordUs: 100,
    pointUs: 0.2,
    sealedPointUs: 0.2,
  },
  wal: { groupBytes: 500, recordBytes: 500, pointBytes: 50, sealedPointBytes: 10 },
  client: { requestUs: 0, eventUs: 0, columnPointUs: 0 },
  waits: { syncMs: 1, statementsMs: 0.5 },
  requestBytes: { event: 230, columnPoint: 44 },
};

const small: FleetSettings = {
  costs,
  nodes: 2,
  servers: 1,
  machines: {
    nodeCores: 4,
    serverCores: 8,
    syncS: 0.001,
    logBytesPerS: 200e6,
    networkS: 0.000_25,
    putS: 0,
  },
  sending: { form: "events", pointsPerRequest: 20 },
  experiments: 100,
  clients: { always: 50 },
  warmUpS: 1,
  measuredS: 2,
  seed: 1,
};

test("the same settings give the same figures", () => {
  assert.deepEqual(runFleet(small), runFleet(small));
  assert.notEqual(runFleet(small).longestS, runFleet({ ...small, seed: 2 }).longestS);
});

test("an open loop far below the capacity is served at its pace, in groups of few", () => {
  const outcome = run({ clients: { everyS: 1 }, experiments: 40 });
  assert.equal(outcome.pointsPerS, 800);
  assert.ok(outcome.requestsPerGroup < 2);
  assert.equal(outcome.resends, 0);
  // Work, waits and the mean sync add up: a request that nobody is before.
  assert.ok(outcome.p50S > 0.003 && outcome.p50S < 0.006, `${outcome.p50S} s`);
});

test("a full main thread is the limit: points a second are what its work allows", () => {
  // A request of 1,000 events is 2.2 ms of it, and nothing else of the fleet is full.
  const sending = { form: "events", pointsPerRequest: 1_000 } as const;
  const outcome = run({ nodes: 1, sending, clients: { always: 20 } });
  assert.ok(Math.abs(outcome.pointsPerS / (1_000 / 0.0022) - 1) < 0.03, `${outcome.pointsPerS}`);
  assert.ok(outcome.busy["main thread of a node"] > 0.97);
});

test("two cores for all: four nodes take no more than one", () => {
  const together = { cores: 2, othersCores: 0 };
  const machines = { ...small.machines, networkS: 0, together };
  const [one, four] = [1, 4].map((nodes) => run({ nodes, machines, isSticky: true }).pointsPerS);
  assert.ok(four < 1.1 * one, `${one} and ${four}`);
  const apart = { clients: { always: 200 }, experiments: 400, isSticky: true };
  const [alone, fourfold] = [1, 4].map((nodes) => run({ ...apart, nodes }).pointsPerS);
  assert.ok(fourfold > 2.5 * alone, `${alone} and ${fourfold}`);
});

test("nodes that share experiments wait for each other's locks", () => {
  const many = { nodes: 4, clients: { always: 200 }, experiments: 100 };
  const [apart, shared] = [true, false].map((isSticky) => run({ ...many, isSticky }).pointsPerS);
  assert.ok(shared < 0.7 * apart, `${apart} and ${shared}`);
});

test("more servers take more when one is full", () => {
  const full = { nodes: 8, clients: { always: 400 }, experiments: 1_600, isSticky: true };
  const costly = { ...costs, server: { ...costs.server, recordUs: 2_000 } };
  const machines = { ...small.machines, serverCores: 2 };
  const [one, four] = [1, 4].map((servers) => run({ ...full, servers, machines, costs: costly }));
  assert.ok(one.busy["cores of PostgreSQL"] > 0.95);
  assert.ok(four.pointsPerS > 3 * one.pointsPerS);
});

test("a slow background thread leaves points unsealed", () => {
  const slow = { ...costs, background: { ...costs.background, sealedPointUs: 20 } };
  const sending = { form: "columns", pointsPerRequest: 1_000 } as const;
  const outcome = run({ sending, costs: slow });
  assert.ok(outcome.busy["sealing of a server"] > 0.95);
  assert.ok(outcome.unsealedPerS > 0);
  const seconds = outcome.sealedPerS + outcome.unsealedPerS;
  assert.ok(Math.abs(seconds / outcome.pointsPerS - 1) < 0.1);
});

test("a node dies: others take its requests, and each is acknowledged with its first ids", () => {
  const failures = [{ what: "node", number: 0, atS: 2, awayS: 1 }] as const;
  const outcome = run({ failures });
  assert.ok(outcome.resends > 0);
  assert.equal(outcome.lost, 0);
  assert.ok(outcome.longestS < 1, `${outcome.longestS} s`);
});

test("a server dies: its experiments wait until it is back, those of the other one go on", () => {
  const seconds: Second[] = [];
  const failures = [{ what: "server", number: 1, atS: 3, awayS: 2 }] as const;
  const outcome = run({
    servers: 2,
    experiments: 200,
    clients: { everyS: 0.5 },
    measuredS: 14,
    failures,
    onSecond: (second) => seconds.push(second),
  });
  assert.equal(outcome.lost, 0);
  // Figures begin after one second. 200 experiments send 20 points twice a second.
  assert.equal(seconds[0].points, 8_000);
  assert.ok(seconds[3].points >= 4_000 && seconds[3].points < 4_400, `${seconds[3].points}`);
  assert.ok(outcome.longestS > 2 && outcome.longestS < 5, `${outcome.longestS} s`);
  assert.ok(seconds[3].waitingBatches >= 100);
  assert.ok(seconds.at(-1)!.waitingBatches < 20);
  const points = seconds.reduce((sum, second) => sum + second.points, 0);
  assert.ok(Math.abs(points - 14 * 8_000) <= 400);
});

test("requests that were stored when their node died are repeated, not stored twice", () => {
  let repeats = 0;
  for (let seed = 1; seed <= 20 && repeats === 0; seed++) {
    const atS = 2 + seed / 1_000;
    const outcome = run({ seed, failures: [{ what: "node", number: 1, atS, awayS: 1 }] });
    repeats += outcome.repeats;
    assert.equal(outcome.lost, 0);
  }
  assert.ok(repeats > 0);
});

function run(changed: Partial<FleetSettings>): Outcome {
  return runFleet({ ...small, ...changed });
}
