import assert from "node:assert/strict";
import { test } from "node:test";
import { type Patch, PatchedCheckout } from "../crash/patched-checkout.ts";
import { sharedPostgres } from "../postgres.ts";
import { runCampaign } from "./campaign.ts";

const short = { experiments: 8, operations: 60 };
const few = { experiments: 4, operations: 15, seed: 20_261_125 };

test("what is deleted, restored, purged and killed is as a model says", async (context) => {
  const report = await runCampaign({ ...short, seed: 20_261_123 });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.violations, []);
  assert.ok(report.kills > 2 && report.purged > 1);
});

test("the same on PostgreSQL", async (context) => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const report = await runCampaign({ ...few, databaseUrl });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.violations, []);
  assert.ok(report.purged > 1);
});

/** These faults could be made: a campaign that misses them proves nothing. */
const faults: { name: string; patches: Patch[]; told: RegExp }[] = [
  {
    name: "an experiment in the trash takes points",
    told: /was opened|took points/,
    patches: [
      {
        file: "server/src/experiments/open.ts",
        find: "if (before.trashed_at_ms !== null) throw slugDeleted(before);",
        replace: "void slugDeleted;",
      },
      {
        file: "server/src/points/experiment-logs.ts",
        find: "found.filter(({ trashed }) => trashed === 0)",
        replace: "found.filter(({ trashed }) => trashed <= 1)",
      },
      {
        file: "server/src/experiments/head.ts",
        find: "WHERE experiment = $1 AND trashed = 0",
        replace: "WHERE experiment = $1",
      },
    ],
  },
  {
    name: "a purge forgets the series",
    told: /is purged and has \d+ rows in series/,
    patches: [
      {
        file: "server/src/trash/purge-step.ts",
        find: "  partitions,\n  dropped,",
        replace: "  dropped,",
      },
    ],
  },
  {
    name: "points of a deleted series are let in",
    told: /of a deleted series was stored/,
    patches: [
      {
        file: "server/src/points/dropped-partitions.ts",
        find: "return this.#trashed.size > 0 &&",
        replace: "return this.#trashed.size < 0 &&",
      },
    ],
  },
  {
    name: "a purge of a series leaves its points",
    told: /which was purged/,
    patches: [
      {
        file: "server/src/points/partition-dropper.ts",
        find: "if (dropped.length === 0) continue;",
        replace: "if (dropped.length >= 0) continue;",
      },
    ],
  },
  {
    name: "a purge leaves the objects",
    told: /is purged and has files/,
    patches: [
      {
        file: "server/src/points/forget-points.ts",
        find: "for (const { key } of segments) {",
        replace: "for (const { key } of segments.slice(0, 0)) {",
      },
      {
        file: "server/src/points/segment-sweeper.ts",
        find: 'if (key.endsWith("/")) await this.#deleteBelow(key);',
        replace: 'if (key.endsWith("/")) continue;',
      },
    ],
  },
];

for (const { name, patches, told } of faults) {
  test(`a planted fault is noticed: ${name}`, async () => {
    using checkout = new PatchedCheckout(patches);
    const { directory } = checkout;
    const { violations } = await runCampaign({ ...few, checkout: directory });
    assert.match(violations.join("\n"), told);
  });
}
