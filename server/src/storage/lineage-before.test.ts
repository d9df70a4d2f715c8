import assert from "node:assert/strict";
import { test } from "node:test";
import { TestArtifacts } from "../artifacts/rows/artifacts.fixture.ts";
import { commitUpload } from "../artifacts/rows/commit.ts";
import { noteExperiments } from "../artifacts/rows/writing-experiment.ts";
import type { Database } from "../database/database.ts";
import { onEachDatabase, type TestDatabase } from "../database/databases.fixture.ts";
import { migrate } from "../database/migrate.ts";
import { TestNode } from "../database/node.fixture.ts";
import { annotateExperiment } from "../experiments/annotate.ts";
import { wrongLineage } from "../experiments/lineage/check-lineage.ts";
import {
  addUsesBefore,
  isLineageBehind,
  readUsesBefore,
  type UsesBefore,
} from "../experiments/lineage/from-before.ts";
import { openExperiment } from "../experiments/open.ts";
import { Pace } from "../ground/pace.ts";
import { readRunLineage } from "../lineage/run.ts";
import { readVersionLineage } from "../lineage/version.ts";
import { purgeStep } from "../trash/purge-step.ts";
import { trashExperiments } from "../trash/trash-experiments.ts";
import { IndexingUsesBefore } from "./background/uses-before.ts";

/** The format before there was lineage. */
const formatBefore = 35;
const running = new AbortController().signal;

onEachDatabase((fresh) => {
  test("uses and written versions from before are found, whatever is cut off or done twice", async () => {
    const { now, old, organizationId, runs } = await filled(fresh);
    assert.deepEqual(await linksOf(old), []);
    const ofRun = () => old.read(readRunLineage, { organizationId, experimentId: runs[0] });
    const version = { organizationId, artifact: "made", version: "1" };
    assert.equal((await ofRun()).isBehind, true);
    assert.equal((await old.read(readVersionLineage, version)).isBehind, true);
    assert.deepEqual(await wrong(old, runs), []);
    // A step whose process dies before it is written, and one whose reply is lost.
    const [lost, again] = [await old.read(read, 100), await old.read(read, 100)];
    assert.deepEqual(lost, again);
    await old.write(addUsesBefore, lost!);
    const next = await old.read(read, 100);
    assert.equal(next!.from, lost!.to);
    for (const step of [next, lost]) await old.write(addUsesBefore, step!);
    assert.equal((await old.read(read, 100))!.from, next!.to);
    await look(old.database);
    assert.equal((await ofRun()).isBehind, true);
    while ((await old.write(noteExperiments, undefined)).more);
    assert.equal(await old.database.read(isLineageBehind), false);
    assert.deepEqual(await linksOf(old), await linksOf(now));
    assert.ok((await linksOf(now)).length > 200);
    const whole = await ofRun();
    assert.deepEqual(
      [whole.isBehind, whole.outputs.map(({ node }) => node.name)],
      [false, ["made"]],
    );
    assert.deepEqual(await wrong(old, runs), []);
  });

  test("what is recorded meanwhile is counted once, and what is purged meanwhile stays away", async () => {
    const { now, old, runs, organizationId } = await filled(fresh);
    const [kept, , purged] = runs;
    const steps = [await old.read(read, 1_000)];
    assert.ok(steps[0]!.uses.every(({ experimentId }) => experimentId === purged));
    for (const node of [now, old]) {
      node.nowMs += 1_000;
      await use(node, { organizationId, experimentId: kept, version: "3" });
      await use(node, { organizationId, experimentId: kept, version: "new" });
      await purge(node, organizationId, purged);
    }
    await old.write(addUsesBefore, steps[0]!);
    await look(old.database);
    while ((await old.write(noteExperiments, undefined)).more);
    assert.deepEqual(await linksOf(old), await linksOf(now));
    const counted = "SELECT experiment, uses FROM summarized ORDER BY experiment";
    const rows = (await old.all<object>(counted)).map((row) => ({ ...row }));
    assert.deepEqual(
      rows,
      (await now.all<object>(counted)).map((row) => ({ ...row })),
    );
    assert.deepEqual(await wrong(old, runs.slice(0, 2)), []);
  });

  test("several nodes that look at once do not disturb each other", async () => {
    const { now, old } = await filled(fresh);
    await Promise.all([look(old.database), look(old.database), look(old.database)]);
    while ((await old.write(noteExperiments, undefined)).more);
    assert.deepEqual(await linksOf(old), await linksOf(now));
  });
});

const read = (reader: Parameters<typeof readUsesBefore>[0], annotations: number) =>
  readUsesBefore(reader, annotations);

/** Runs the background work to its end, as a process that starts now. */
async function look(database: Database): Promise<void> {
  const node = new TestNode(database);
  const add = (step: UsesBefore) => node.write(addUsesBefore, step);
  const pace = new Pace(Infinity);
  const task = new IndexingUsesBefore({ database, add, pace, lease: undefined });
  while (await task.round(running));
}

interface Use {
  organizationId: string;
  experimentId: string;
  version: string;
  role?: string;
  named?: string;
}

function use(node: TestNode, { organizationId, experimentId, ...used }: Use) {
  const text = JSON.stringify({ kind: "artifact-used", artifact: "data", ...used });
  // As a client may write it, too.
  const meta = used.version.endsWith("7")
    ? text.replace("artifact-used", "artifact-\\u0075sed")
    : text;
  const data = { experimentId, annotation: "used", meta };
  return node.write(annotateExperiment, { organizationId, experimentId, data });
}

/** A database with lineage, and one of the same rows that was migrated from before. */
async function filled(fresh: TestDatabase) {
  const now = new TestNode(await fresh.openMigrated());
  // Its runs are newer than those of other tests.
  const [{ at }] = await now.all<{ at: number }>(
    "SELECT coalesce(max(created_at_ms), 0) AS at FROM experiment",
  );
  now.nowMs = Math.max(now.nowMs, at + 1_000_000);
  const artifacts = await TestArtifacts.open(now);
  const { organizationId } = artifacts;
  const runs: string[] = [];
  for (const slug of ["one", "two", "three"]) {
    now.nowMs++;
    const data = { slug, description: "", meta: "{}" };
    runs.push((await now.write(openExperiment, { organizationId, data })).experimentId);
  }
  const artifact = "made";
  const epoch = await artifacts.openNew(artifact);
  const uploadId = await artifacts.begin(artifact, "1", epoch);
  const meta = JSON.stringify({ experiment: "one", step: 4 });
  await now.execute("UPDATE upload SET meta = $2 WHERE id = $1", uploadId, meta);
  const decided = { committedAtMs: now.nowMs, storeVersions: [null] };
  await now.write(commitUpload, { organizationId, artifact, uploadId, ...decided });
  for (const [at, experimentId] of runs.entries()) {
    for (let number = 0; number < 90; number++) {
      now.nowMs++;
      const version = `${number % 70}`;
      const named = number === 3 ? "latest" : "";
      await use(now, { organizationId, experimentId, version, role: at === 1 ? "x" : "", named });
      const data = { experimentId, annotation: "n", meta: JSON.stringify({ kind: "note" }) };
      await now.write(annotateExperiment, { organizationId, experimentId, data });
    }
  }
  const older = await fresh.inFormat(formatBefore, now.database);
  await migrate(older);
  const old = new TestNode(older);
  old.nowMs = now.nowMs;
  return { now, old, organizationId, runs };
}

async function linksOf(node: TestNode): Promise<object[]> {
  const rows = await node.all<object>(
    "SELECT * FROM lineage ORDER BY experiment, direction, subject, role",
  );
  return rows.map((row) => ({ ...row }));
}

async function wrong(node: TestNode, runs: readonly string[]): Promise<string[]> {
  const found = runs.map((id) => node.database.read((reader) => wrongLineage(reader, id)));
  return (await Promise.all(found)).flat();
}

async function purge(node: TestNode, organizationId: string, experimentId: string): Promise<void> {
  const by = { actor: "service", address: null };
  const trashing = { organizationId, experimentIds: [experimentId], daysDefault: 0, by };
  const { entries } = await node.write(trashExperiments, trashing);
  node.nowMs += 1_000;
  while (!(await node.write(purgeStep, { id: entries[0].id })).isDone);
}
