import assert from "node:assert/strict";
import { test } from "node:test";
import { monthlyCost, storageCost, sumOf } from "./cost.ts";
import { assumedPrices, withPrices } from "./prices.ts";

const nothing = { logBytesPerS: 0, requestBytesPerS: 0, putsPerS: 0, getsPerS: 0 };

test("a bill is what its parts cost in thirty days", () => {
  const prices = { ...assumedPrices, coreHour: 0.1, diskGbMonth: 0.1, storePutThousand: 0.005 };
  const cost = monthlyCost(
    { nodes: 2, nodeCores: 4, servers: 1, serverCores: 8, ...nothing, putsPerS: 10 },
    prices,
  );
  // 8 cores of nodes, and 16 of a primary and its standby.
  assert.equal(Math.round(cost.machines), Math.round(24 * 0.1 * 720));
  assert.equal(cost.disks, 2 * 500 * 0.1);
  assert.equal(cost.network, 0);
  assert.equal(Math.round(cost.requests * 100), Math.round(2_592 * 10 * 0.005 * 100));
  assert.equal(sumOf(cost), cost.machines + cost.disks + cost.requests);
});

test("a fast log needs a fast disk, and its way to the standby is paid", () => {
  const bill = { nodes: 0, nodeCores: 4, servers: 2, serverCores: 0, ...nothing };
  const slow = monthlyCost({ ...bill, logBytesPerS: 2 * 125e6 }, assumedPrices);
  const fast = monthlyCost({ ...bill, logBytesPerS: 2 * 225e6 }, assumedPrices);
  assert.equal(Math.round(fast.disks - slow.disks), Math.round(4 * 100 * 0.04));
  assert.ok(fast.network > slow.network);
});

test("a terabyte costs what a thousand gigabytes do", () => {
  assert.equal(storageCost(1e12, { ...assumedPrices, storeGbMonth: 0.02 }), 20);
});

test("prices are changed by name, and a wrong name is said", () => {
  assert.equal(withPrices(["coreHour=0.04"]).coreHour, 0.04);
  assert.throws(() => withPrices(["coreHuor=0.04"]), /one of coreHour/);
  assert.throws(() => withPrices(["coreHour"]), /NAME=DOLLARS/);
  assert.throws(() => withPrices(["coreHour=-1"]), /NAME=DOLLARS/);
});
