import assert from "node:assert/strict";
import { test } from "node:test";
import { TestArtifacts } from "../artifacts/rows/artifacts.fixture.ts";
import { commitUpload } from "../artifacts/rows/commit.ts";
import { noteExperiments } from "../artifacts/rows/writing-experiment.ts";
import type { Database, Reader } from "../database/database.ts";
import { onEachDatabase, type TestDatabase } from "../database/databases.fixture.ts";
import { migrate } from "../database/migrate.ts";
import { migrations } from "../database/migrations.ts";
import { TestNode } from "../database/node.fixture.ts";
import { addAnnotation, annotateExperiment } from "../experiments/annotate.ts";
import { readAnnotated } from "../experiments/annotated.ts";
import {
  addBefore,
  isLineageBehind,
  isLoggedBehind,
  lookBefore,
  type LookedBefore,
} from "../experiments/from-before.ts";
import { wrongLineage } from "../experiments/lineage/check-lineage.ts";
import { wrongLogged } from "../experiments/logged/check-logged.ts";
import { addLoggedFile } from "../experiments/logged/index-logged.ts";
import { addNonfiniteBefore, readNonfiniteBefore } from "../experiments/nonfinite.ts";
import { openExperiment } from "../experiments/open.ts";
import { Pace } from "../ground/pace.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { readRunLineage } from "../lineage/run.ts";
import { readVersionLineage } from "../lineage/version.ts";
import { purgeStep } from "../trash/purge-step.ts";
import { trashExperiments } from "../trash/trash-experiments.ts";
import { readLoggedHistograms } from "../views/logged/histograms.ts";
import { readLoggedItems } from "../views/logged/items.ts";
import { readLoggedNames } from "../views/logged/names.ts";
import { readLoggedNearest } from "../views/logged/nearest.ts";
import { readLoggedSteps } from "../views/logged/steps.ts";
import { readLoggedTexts } from "../views/logged/texts.ts";
import { isBehind, readBehind } from "../views/table/summaries-behind.ts";
import { IndexingFromBefore } from "./background/from-before.ts";

/** The format before values that are not finite were counted; later, what is logged and lineage. */
const formatBefore = 25;
/** The format of migration 046. */
const formatOfLineage = 36;
const running = new AbortController().signal;

onEachDatabase((fresh) => {
  test("what was recorded before is found, whatever is cut off or done twice", async () => {
    const { now, old, organizationId, runs } = await filled(fresh);
    assert.deepEqual(await indexedOf(old), [[], [], []]);
    await old.execute("UPDATE summarized SET indexed_version = meta_version");
    const areBehind = () =>
      Promise.all(runs.map((id) => old.database.read((reader) => isBehind(reader, id))));
    assert.deepEqual(await areBehind(), [true, true, true]);
    const lag = () =>
      old.database.read((reader) => readBehind(reader, organizationId, old.nowMs + 60_000));
    const { behind, late, asOfMs } = await lag();
    // They may lack values from their beginning on.
    assert.deepEqual([behind, late, asOfMs < old.nowMs - 100], [3, 3, true]);
    const ofRun = () => old.read(readRunLineage, { organizationId, experimentId: runs[0] });
    const version = { organizationId, artifact: "made", version: "1" };
    assert.equal((await ofRun()).isBehind, true);
    assert.equal((await old.read(readVersionLineage, version)).isBehind, true);
    const media = (at = 0) => mediaBehind(old, organizationId, runs[at]);
    assert.deepEqual(await media(), [true]);
    assert.deepEqual(await wrong(old, runs), []);
    // Others have nothing from before.
    assert.deepEqual(await mediaBehind(old, "another", runs[0]), [false]);
    assert.equal(await old.database.read((reader) => isLineageBehind(reader, "another")), false);
    // A step whose process dies before it is written, and one whose reply is lost.
    const [lost, again] = [await old.read(read, 100), await old.read(read, 100)];
    assert.deepEqual(lost, again);
    await old.write(addBefore, lost!);
    const next = await old.read(read, 100);
    assert.equal(next!.from, lost!.to);
    for (const step of [next, lost]) await old.write(addBefore, step!);
    assert.equal((await old.read(read, 100))!.from, next!.to);
    assert.deepEqual(await areBehind(), [true, true, true]);
    for (let of = "annotations"; of === "annotations";) {
      const step = await old.read(read, 1_000);
      of = step!.of;
      if (of === "annotations") await old.write(addBefore, step!);
    }
    // Files come after all annotations, those of the newest experiment first.
    assert.deepEqual(await media(), [true]);
    await old.write(addBefore, (await old.read(read, 5))!);
    assert.deepEqual([await media(2), await media(1), await media()], [[false], [true], [true]]);
    await look(old.database);
    assert.deepEqual(await media(), [false]);
    assert.equal((await ofRun()).isBehind, true);
    while ((await old.write(noteExperiments, undefined)).more);
    assert.equal(await old.database.read((reader) => isLineageBehind(reader)), false);
    assert.equal(await old.database.read((reader) => isLoggedBehind(reader)), false);
    // Its values that are not finite are counted with its meta, which is due.
    assert.deepEqual(await areBehind(), [true, false, true]);
    assert.equal((await lag()).behind, 2);
    await count(old);
    assert.deepEqual(await indexedOf(old), await indexedOf(now));
    const [links, logged, nonfinite] = await indexedOf(now);
    assert.ok(links.length > 200 && logged.length > 200 && nonfinite.length === 6);
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
    const step = await old.read(read, 1_000);
    assert.equal(step!.found.length, 100);
    assert.ok(step!.found.every(({ experimentId }) => experimentId === purged));
    for (const node of [now, old]) {
      node.nowMs += 1_000;
      await use(node, { organizationId, experimentId: kept, version: "3" });
      await use(node, { organizationId, experimentId: kept, version: "new" });
      await annotate(node, organizationId, kept, { kind: "text", metricName: "late", step: 5 });
      await annotate(node, organizationId, kept, nan(1_000));
      const tie = { kind: "nonfinite", metricName: "tie", step: 7, timestampMs: 7 };
      await annotate(node, organizationId, kept, { ...tie, value: "Infinity" });
      for (const step of [4, 5]) await logNan(node, organizationId, kept, step);
      await purge(node, organizationId, purged);
    }
    await old.write(addBefore, step!);
    await look(old.database);
    while ((await old.write(noteExperiments, undefined)).more);
    await count(old);
    assert.deepEqual(await indexedOf(old), await indexedOf(now));
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
    await count(old);
    assert.deepEqual(await indexedOf(old), await indexedOf(now));
  });

  test("what data of between two releases had not looked through yet is carried on", async () => {
    const { now, runs } = await filled(fresh);
    const between = new TestNode(await fresh.inFormat(formatOfLineage, now.database));
    const areBehind = () =>
      Promise.all(
        [isLineageBehind, isLoggedBehind].map((ask) =>
          between.database.read((reader) => ask(reader)),
        ),
      );
    // Migrations after the next one run once, below.
    await migrate(between.database, { migrations: migrations.slice(0, formatOfLineage + 1) });
    assert.deepEqual(await areBehind(), [false, false]);
    for (const statement of [
      "DELETE FROM lineage WHERE direction = 0",
      "DELETE FROM logged",
      "DELETE FROM logged_series",
      "DROP INDEX summarized_unlooked",
      "ALTER TABLE summarized ADD COLUMN logged_before INTEGER NOT NULL DEFAULT 0",
      "UPDATE summarized SET uses = 0, logged_before = 100",
      `UPDATE installation SET value = '${formatOfLineage}' WHERE name = 'format'`,
      `INSERT INTO installation (name, value) VALUES ('unindexed_uses', '${runs[1]}\n20')`,
    ])
      await between.execute(statement);
    await migrate(between.database);
    assert.deepEqual(await areBehind(), [true, true]);
    await look(between.database);
    assert.deepEqual(await areBehind(), [false, false]);
    assert.deepEqual(await indexedOf(between), await indexedOf(now));
    assert.deepEqual(await wrong(between, runs), []);
  });
});

const read = (reader: Parameters<typeof lookBefore>[0], rows: number) => lookBefore(reader, rows);

/** Runs the background work to its end, as a process that starts now. */
async function look(database: Database): Promise<void> {
  const node = new TestNode(database);
  const add = (step: LookedBefore) => node.write(addBefore, step);
  const pace = new Pace(Infinity);
  const task = new IndexingFromBefore({ database, add, pace, lease: undefined });
  while (await task.round(running));
}

/** Counts values that are not finite, as the index of metas does; by two nodes. */
async function count(node: TestNode): Promise<void> {
  const due = await node.all<{ experiment: string }>(
    "SELECT experiment FROM summarized WHERE notes_before > 0",
  );
  for (const { experiment } of due) {
    const read = () => node.database.read((reader) => readNonfiniteBefore(reader, experiment));
    const found = [await read(), await read()];
    for (const one of found) await node.write(addNonfiniteBefore, one!);
    assert.equal(await read(), undefined);
  }
  assert.deepEqual(await node.all("SELECT experiment FROM summarized WHERE notes_before <> 0"), []);
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

function annotate(node: TestNode, organizationId: string, experimentId: string, meta: object) {
  const data = { experimentId, annotation: "n", meta: JSON.stringify(meta) };
  return node.write(annotateExperiment, { organizationId, experimentId, data });
}

/** An annotation of a value that is not finite. */
function nan(step: number) {
  const value = ["NaN", "Infinity", "-Infinity"][step % 3];
  return { kind: "nonfinite", metricName: `loss ${step % 2}`, step, value, timestampMs: step };
}

/** As MLflow's clients log it. */
async function logNan(node: TestNode, organizationId: string, experimentId: string, step: number) {
  await node.execute(
    `INSERT INTO run_point (experiment, key, timestamp, step, kind, value)
     VALUES ($1, 'diverged', $2, $2, 2, 0)`,
    experimentId,
    String(step),
  );
  const meta = { kind: "nonfinite", metricName: "diverged", step, value: "NaN" };
  const added = { annotation: "n", metaText: JSON.stringify(meta), messageId: null };
  const whose = { organizationId, experimentId, isOfMlflow: true };
  await node.write(addAnnotation, { ...whose, ...added });
}

/** A file of an image, and of a table that a tag lists, and one of neither. */
async function store(node: TestNode, organizationId: string, experimentId: string): Promise<void> {
  const listed = JSON.stringify([{ path: "t.json", type: "table" }]);
  await node.execute(
    "INSERT INTO run_tag (experiment, key, value) VALUES ($1, 'mlflow.loggedArtifacts', $2)",
    experimentId,
    listed,
  );
  for (const path of ["images/a%step%12%timestamp%17%g.png", "t.json", "other.json", "x.txt"]) {
    await node.execute(
      `INSERT INTO file (owner, path, organization, location, key, upload, bytes, changed_at_ms)
       SELECT $1, $2, $3, min(id), $2, $4, 1, 0 FROM location`,
      experimentId,
      path,
      organizationId,
      `${experimentId} ${path}`,
    );
    const add = (transaction: Parameters<typeof addLoggedFile>[0]) =>
      addLoggedFile(transaction, experimentId, path);
    await node.database.write(add);
  }
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
      await annotate(now, organizationId, experimentId, { kind: "note" });
      const text = { kind: "text", metricName: `text ${number % 4}`, step: number };
      await annotate(now, organizationId, experimentId, text);
      if (at !== 1 && number % 20 > 17)
        await annotate(now, organizationId, experimentId, nan(number));
    }
    await store(now, organizationId, experimentId);
    const tie = { kind: "nonfinite", metricName: "tie", step: 7, timestampMs: 7, value: "NaN" };
    if (at === 0) await annotate(now, organizationId, experimentId, tie);
    for (const step of at === 0 ? [1, 2, 3] : [])
      await logNan(now, organizationId, experimentId, step);
  }
  const older = await fresh.inFormat(formatBefore, now.database);
  await migrate(older);
  const old = new TestNode(older);
  old.nowMs = now.nowMs;
  return { now, old, organizationId, runs };
}

/** Lineage, what is logged, and values that are not finite. */
async function indexedOf(node: TestNode): Promise<object[][]> {
  const statements = [
    "SELECT * FROM lineage ORDER BY experiment, direction, subject, role",
    `SELECT name, items, first_step, last_step, logged.* FROM logged
     JOIN logged_series ON logged_series.experiment = logged.experiment AND number = series
     ORDER BY logged.experiment, name, step, annotation`,
    `SELECT experiment, name, meta, notes, last_step, last_timestamp, last_kind, is_native
     FROM nonfinite ORDER BY experiment, name`,
  ];
  const found: object[][] = [];
  for (const sql of statements) {
    // Series are numbered as they come.
    const rows = await node.all<object>(sql);
    found.push(rows.map((row) => ({ ...row, ...("series" in row && { series: 0 }) })));
  }
  return found;
}

/** `isBehind` of all replies about what was logged: several only where they differ. */
async function mediaBehind(
  node: TestNode,
  organizationId: string,
  experimentId: string,
): Promise<boolean[]> {
  const experimentIds = [experimentId];
  const of = { kind: "text", name: "text 1" } as const;
  type Asked<Body> = { organizationId: string; body: Body };
  const ask = <Body>(
    read: (...call: [Reader, Asked<Body>, ReplyText]) => Promise<void>,
    body: Body,
  ) => node.reply<Asked<Body>, { isBehind: boolean }>(read, { organizationId, body });
  const replies = await Promise.all([
    ask(readLoggedNames, { experimentIds }),
    ask(readLoggedSteps, { experimentIds, series: [of] }),
    ask(readLoggedNearest, { experimentIds, series: [of], step: 1 }),
    ask(readLoggedItems, { experimentIds, ...of }),
    ask(readLoggedTexts, { experimentIds, name: of.name }),
    ask(readLoggedHistograms, { experimentIds, name: of.name }),
  ]);
  return [...new Set(replies.map(({ isBehind }) => isBehind))];
}

async function wrong(node: TestNode, runs: readonly string[]): Promise<string[]> {
  const found = runs.map((id) =>
    node.database.read(async (reader) => {
      const annotated = await readAnnotated(reader, id);
      const lineage = await wrongLineage(reader, id, annotated);
      return [...lineage, ...(await wrongLogged(reader, id, annotated))];
    }),
  );
  return (await Promise.all(found)).flat();
}

async function purge(node: TestNode, organizationId: string, experimentId: string): Promise<void> {
  const by = { actor: "service", address: null };
  const trashing = { organizationId, experimentIds: [experimentId], daysDefault: 0, by };
  const { entries } = await node.write(trashExperiments, trashing);
  node.nowMs += 1_000;
  while (!(await node.write(purgeStep, { id: entries[0].id })).isDone);
}
