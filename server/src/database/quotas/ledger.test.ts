import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { onEachDatabase } from "../databases.fixture.ts";
import { failsWith, type TestNode } from "../node.fixture.ts";
import { type Amounts, kinds, nothing } from "./amounts.ts";
import type { Counting } from "./ledger.ts";
import { readRecorded } from "./recorded-points.ts";
import { changeQuota, listQuotas, type QuotaChange } from "./quota.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();
  const other = fresh.dialect === "sqlite" ? node : fresh.node();
  let organizationId: string;
  before(async () => {
    // With SQLite there is one node.
  });
  beforeEach(async () => {
    organizationId = await node.newOrganization();
  });

  const limit = (change: QuotaChange) =>
    node.database.write((transaction) => changeQuota(transaction, organizationId, change));
  const charge = (amounts: Partial<Amounts>, on = node) =>
    on.write(
      (_transaction, _input: null, { ledger }: Counting) => ledger.charge(organizationId, amounts),
      null,
    );
  const stored = async () => {
    const [found] = await node.read(listQuotas, { organization: organizationId });
    return found?.used;
  };

  test("the maximum itself is reached, not one beyond it; what is freed can be used again", async () => {
    await limit({ experiments: 2, bytes: 100 });
    await charge({ experiments: 2, bytes: 100 });
    await assert.rejects(
      charge({ experiments: 1 }),
      failsWith("limit_exceeded", { limit: "experimentsPerOrganization", maximum: 2, used: 2 }),
    );
    await assert.rejects(
      charge({ bytes: 1 }),
      failsWith("limit_exceeded", { limit: "bytesPerOrganization", maximum: 100, used: 100 }),
    );
    await charge({ experiments: -1, bytes: 0 });
    await charge({ experiments: 1 });
    assert.deepEqual(await stored(), { ...nothing, experiments: 2, bytes: 100 });
  });

  test("what an attempt counted goes with it, and a transaction sees what it counted itself", async () => {
    await limit({ uploads: 2 });
    await node.counted(async (_transaction, { ledger }) => {
      await ledger.charge(organizationId, { uploads: 1 });
      const attempt = ledger.attempt(async () => {
        await ledger.charge(organizationId, { uploads: 1 });
        throw new Error("planted");
      });
      await assert.rejects(attempt, /planted/);
      await ledger.charge(organizationId, { uploads: 1 });
      const over = ledger.attempt(() => ledger.charge(organizationId, { uploads: 1 }));
      await assert.rejects(over, failsWith("limit_exceeded", { used: 2 }));
    });
    assert.equal((await stored())?.uploads, 2);
  });

  test("a maximum below what is stored refuses what grows, and nothing else", async () => {
    await charge({ partitions: 5, bytes: 50 });
    await limit({ partitions: 3 });
    await assert.rejects(charge({ partitions: 1 }), failsWith("limit_exceeded", { used: 5 }));
    await charge({ bytes: 10 });
    await charge({ partitions: -1 });
    await limit({ partitions: null });
    await charge({ partitions: 7 });
    assert.deepEqual(await stored(), { ...nothing, partitions: 11, bytes: 60 });
  });

  test("writers at once, on two nodes, take exactly what there is", async () => {
    await limit({ experiments: 10 });
    const tries = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        charge({ experiments: 1, bytes: 7 }, index % 2 === 0 ? node : other),
      ),
    );
    const failed = tries.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    assert.equal(failed.length, 20);
    for (const error of failed) assert.ok(failsWith("limit_exceeded", { maximum: 10 })(error));
    assert.deepEqual(await stored(), { ...nothing, experiments: 10, bytes: 70 });
  });

  test("two nodes that count for two organizations at once do not wait for each other in a circle", async () => {
    const rival = await node.newOrganization();
    const both = (on: TestNode, ids: string[]) =>
      on.counted(async (_transaction, { ledger }) => {
        for (const id of ids) await ledger.charge(id, { bytes: 1, experiments: 1 });
      });
    await limit({ bytes: 1_000, experiments: 1_000 });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? both(node, [organizationId, rival])
          : both(other, [rival, organizationId]),
      ),
    );
    assert.deepEqual(await stored(), { ...nothing, bytes: 20, experiments: 20 });
  });

  test("an organization without a quota stores what it likes, and what it stores is counted", async () => {
    await charge({ bytes: 1e12, experiments: 1, partitions: 2, uploads: 3 });
    const amounts = await stored();
    assert.deepEqual(
      kinds.map((kind) => amounts?.[kind]),
      [1e12, 1, 2, 3],
    );
  });

  test("points are counted on the day on which they come, whichever day it is again", async () => {
    const rival = await node.newOrganization();
    const today = node.nowMs;
    const count = async (days: number, points: number, ...ids: string[]) => {
      node.nowMs = today + days * 86_400_000;
      await node.counted(async (_transaction, { ledger }) => {
        for (const id of ids) ledger.notePoints(id, { bytes: 44 * points, partitions: 0, points });
      });
    };
    const days = async (id: string) => {
      const recorded = await node.read(readRecorded, id);
      return recorded.map(({ day, points }) => [day - Math.floor(today / 86_400_000), points]);
    };
    try {
      await count(0, 5, organizationId);
      await count(0, 6, organizationId, rival);
      await count(1, 7, organizationId);
      // One of them counts on a day that the other has not seen, and then the clock is set back.
      await count(1, 8, organizationId, rival);
      await count(0, 9, organizationId, rival);
      await count(1, 1, rival);
    } finally {
      node.nowMs = today;
    }
    assert.deepEqual(await days(organizationId), [
      [0, 20],
      [1, 15],
    ]);
    assert.deepEqual(await days(rival), [
      [0, 15],
      [1, 9],
    ]);
    assert.equal((await stored())?.bytes, 44 * 35);
  });
});
