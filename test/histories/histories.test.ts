import assert from "node:assert/strict";
import { test } from "node:test";
import { type Patch, PatchedCheckout } from "../crash/patched-checkout.ts";
import { sharedPostgres } from "../postgres.ts";
import { runCampaign } from "./campaign.ts";

const short = { histories: 8, operations: 120, writers: 8, concurrent: 4 };

test("epochs and commits are linearizable while the service is killed", async (context) => {
  const report = await runCampaign({ ...short, seed: 20_261_121, killEveryMs: 400 });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.violations, []);
  assert.ok(report.operations > report.histories * 60);
});

test("the same on PostgreSQL with two nodes", async (context) => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const fewer = { ...short, histories: 4, operations: 80, seed: 20_261_122 };
  const report = await runCampaign({ ...fewer, killEveryMs: 1_500, databaseUrl });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.violations, []);
});

/** These faults in the fencing could be made: a checker that misses them proves nothing. */
const faults: { name: string; patches: Patch[] }[] = [
  {
    name: "the epoch is compared at begin only",
    patches: [
      {
        file: "server/src/artifacts/rows/open.ts",
        find: "  await abandonUnfinished(transaction, id, moment);\n",
        replace: "  void abandonUnfinished;\n",
      },
      {
        file: "server/src/artifacts/rows/commit.ts",
        find: `const problem = writerProblem(artifact, { epoch, version: upload.version });
  if (problem !== undefined) throw problem;`,
        replace: "void epoch;",
      },
      {
        file: "server/src/artifacts/rows/commit.ts",
        find: "writerProblem(artifact, upload) ?? (isAlive",
        replace: "writerProblem(artifact, { ...upload, epoch: artifact.epoch }) ?? (isAlive",
      },
      {
        file: "server/src/artifacts/rows/commit.ts",
        find: "WHERE id = $1 AND epoch = $6 AND (latest",
        replace: "WHERE id = $1 AND $6 > 0 AND (latest",
      },
    ],
  },
  {
    name: "an epoch is given twice",
    patches: [
      {
        file: "server/src/artifacts/rows/open.ts",
        find: "    epoch + 1,\n    moment.nowMs,",
        replace: "    epoch + (Math.random() < 0.2 ? 0 : 1),\n    moment.nowMs,",
      },
    ],
  },
  {
    name: "a repeated commit is refused",
    patches: [
      {
        file: "server/src/artifacts/rows/commit.ts",
        find: 'if (upload.state === "committed") return { committed: committedVersion(upload) };',
        replace: "",
      },
    ],
  },
  {
    name: "reads of the latest version lag",
    patches: [
      {
        file: "server/src/http/v1/artifacts.ts",
        find: "served.versions.read(",
        replace: `(async (input) => {
    const cache = ((globalThis as Record<string, unknown>)["lag"] ??= new Map()) as Map<
      string,
      ReturnType<typeof served.versions.read>
    >;
    if (input.urls) return served.versions.read(input);
    if (!cache.has(input.artifact) || Math.random() < 0.1)
      cache.set(input.artifact, served.versions.read(input));
    return cache.get(input.artifact)!;
  })(`,
      },
    ],
  },
];

for (const { name, patches } of faults) {
  test(`noticed: ${name}`, async (context) => {
    using patched = new PatchedCheckout(patches);
    const report = await runCampaign({
      histories: 40,
      operations: 120,
      writers: 8,
      concurrent: 8,
      seed: 20_261_123,
      checkout: patched.directory,
    });
    context.diagnostic(report.violations[0] ?? "nothing noticed");
    assert.notDeepEqual(report.violations, []);
  });
}
