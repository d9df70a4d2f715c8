import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import type { UsageReply } from "@lossless/protocol";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { ensureBuiltInLocations } from "./built-in.ts";
import { listLocations } from "./location.ts";
import { countUsage, readUsage, type UsageEntry } from "./usage.ts";

const dayMs = 24 * 60 * 60_000;

onEachDatabase((fresh) => {
  const node = fresh.node();
  const nodes = fresh.dialect === "sqlite" ? [node] : [node, fresh.node()];

  const setUp = async () => {
    const organizationId = await node.newOrganization();
    await node.write(ensureBuiltInLocations, { except: [] });
    const [location] = await node.read(listLocations, { organizationId });
    const entry: UsageEntry = {
      organizationId,
      kind: "write",
      placeCloud: "aws",
      placeRegion: "east",
      locationId: location.id,
      match: null,
      transfer: "cross-cloud",
      bytes: 10,
    };
    const rows = async (days = 30) =>
      (
        await node.reply<{ organizationId: string; days: number }, UsageReply>(readUsage, {
          organizationId,
          days,
        })
      ).rows;
    return { entry, rows };
  };

  test("what is the same in day, kind, place, location, match and transfer is one row", async () => {
    const { entry, rows } = await setUp();
    const entries: UsageEntry[] = [
      entry,
      entry,
      { ...entry, kind: "read", bytes: 1 },
      { ...entry, placeCloud: "" },
      { ...entry, placeRegion: "west" },
      { ...entry, match: "region" },
      { ...entry, match: "cloud" },
      { ...entry, transfer: "unknown", bytes: 0 },
    ];
    for (const one of entries) await node.write(countUsage, one);
    const found = await rows();
    assert.equal(found.length, entries.length - 1);
    const { organizationId: _organization, locationId: location, ...fields } = entry;
    const day = new Date(node.nowMs).toISOString().slice(0, 10);
    const same = found.filter(({ count }) => count === 2);
    assert.deepEqual(same, [{ ...fields, day, location, bytes: 20, count: 2 }]);
    const total = found.reduce((sum, { bytes, count }) => sum + bytes + 1_000_000 * count, 0);
    assert.equal(total, 61 + 8_000_000);
    const other = await setUp();
    assert.deepEqual(await other.rows(), []);
  });

  test("a day tells 1,000 places apart; others are counted without a place", async () => {
    const { entry, rows } = await setUp();
    const at = (placeRegion: string, more: Partial<UsageEntry> = {}): UsageEntry => ({
      ...entry,
      kind: "read",
      placeRegion,
      ...more,
    });
    const many = Array.from({ length: limits.usagePlacesPerDayMax - 1 }, (_, index) => `${index}`);
    await node.database.write(async (transaction) => {
      for (const region of many) await countUsage(transaction, at(region), node);
    });
    await node.write(countUsage, at("", { placeCloud: "" }));
    for (const region of ["last", "beyond", "beyond more"])
      await node.write(countUsage, at(region));
    // A place of the thousand has room for another row.
    await node.write(countUsage, at("last", { kind: "write" }));
    await node.write(countUsage, at("beyond", { transfer: "local", bytes: 7 }));
    const found = (await rows()).filter(({ placeRegion }) => !many.includes(placeRegion));
    const told = found.map((row) => [
      row.kind,
      row.placeCloud,
      row.placeRegion,
      row.transfer,
      row.count,
    ]);
    assert.deepEqual(told, [
      ["read", "", "", "cross-cloud", 3],
      ["read", "", "", "local", 1],
      ["read", "aws", "last", "cross-cloud", 1],
      ["write", "aws", "last", "cross-cloud", 1],
    ]);
    node.nowMs += dayMs;
    await node.write(countUsage, at("beyond"));
    assert.equal((await rows(1))[0]?.placeRegion, "beyond");
    node.nowMs -= dayMs;
  });

  test("nothing is lost when nodes count at once, and sums beyond 32 bits are exact", async () => {
    const { entry, rows } = await setUp();
    const bytes = 5 * 1024 ** 4;
    const counting = Array.from({ length: 40 }, (_, index) =>
      nodes[index % nodes.length].write(countUsage, { ...entry, bytes }),
    );
    await Promise.all(counting);
    const [row, ...more] = await rows(366);
    assert.equal(more.length, 0);
    assert.deepEqual([row?.count, row?.bytes], [40, 40 * bytes]);
  });
});
