import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DiskBucket } from "../../buckets/segments/disk.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import type { Database } from "../../database/database.ts";
import { migrate } from "../../database/migrate.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { openExperiment } from "../open.ts";
import { ExperimentLogs } from "../../points/experiment-logs.ts";
import { IdentifierHasher } from "../../points/identifiers/hash.ts";
import { Merger } from "../../points/merge.ts";
import {
  partitionKey,
  pointColumns,
  PointResult,
  type PointBatch,
} from "../../points/point-batch.ts";
import { searchPoints } from "../../points/search.ts";
import { Sealer, type EngineTools } from "../../points/seal.ts";
import { Snapshots } from "../../points/snapshots.ts";
import { GroupCommit, type WriteOperation, type WriteRequest } from "../../storage/group-commit.ts";
import { writeOperations } from "../../storage/operations.ts";
import { Recounting } from "../../storage/background/summarizing.ts";
import { checkSummaries } from "./check.ts";
import { readWholeReach, type WholeReach, widenReach } from "./reach.ts";
import { Pace } from "../../ground/pace.ts";
import { Summarizer, type SummaryTools } from "./summarizer.ts";
import { randomNumbers } from "../../ground/random.fixture.ts";

/**
 * Summaries against a plain computation from all points, as `query.series` gives them: commits,
 * seals, merges and folds of two nodes, cut off and made again, in a random order.
 * LOSSLESS_SUMMARY_ROUNDS makes it longer.
 */
const rounds = Number(process.env["LOSSLESS_SUMMARY_ROUNDS"] ?? 250);
const seed = Number(process.env["LOSSLESS_SUMMARY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const notStopped = new AbortController().signal;
/** A test that would wait for ever fails then. */
const oneMinute = { timeout: 60_000 };

onEachDatabase((fresh) => {
  test(`a summary counts each point once, whatever is cut off and made again (seed ${seed})`, async () => {
    const random = randomNumbers(seed);
    const directory = await mkdtemp(join(tmpdir(), "lossless-summaries-"));
    after(() => rm(directory, { recursive: true }));
    const first = await fresh.openMigrated();
    const domain = new TestNode(first);
    const organizationId = await domain.newOrganization();
    const data = { slug: "run", description: "", meta: "{}" };
    const { experimentId } = await domain.write(openExperiment, { organizationId, data });
    // On SQLite only one process writes: both of them share its connection.
    const second = fresh.dialect === "sqlite" ? first : await fresh.open();
    const nodes = [first, second].map((database) => new Node(database, directory, experimentId));
    const seen = { seals: 0, merges: 0, recounts: 0, cut: 0, dropped: 0 };
    for (let round = 0; round < rounds; round++) {
      const node = nodes[random(2)];
      const points = () => Array.from({ length: 1 + random(40) }, () => randomPoint(random, round));
      await node.commit(points());
      if (random(4) === 0) seen.cut += await node.foldCutOff(random(3));
      if (random(4) === 0) {
        const folds = nodes.map((each) => each.summarizer.fold(experimentId, notStopped));
        await Promise.all([...folds, node.commit(points())]);
      } else if (random(3) === 0) await node.summarizer.fold(experimentId, notStopped);
      if (random(10) === 0) seen.seals += await node.seal(random(2) === 0 ? Infinity : random(3));
      const [{ counted }] = await domain.all<{ counted: number }>(
        "SELECT counted FROM summarized WHERE experiment = $1",
        experimentId,
      );
      assert.equal(counted, 1, "nothing is missing in the log");
      if (random(20) === 0) seen.merges += await node.merger.mergeDue(experimentId);
      if (random(20) === 0) node.restart();
      if (random(30) === 0) {
        await domain.execute(
          "UPDATE summarized SET counted = 0 WHERE experiment = $1",
          experimentId,
        );
        const recounts = nodes.map((each) => each.summarizer.recount(experimentId, notStopped));
        await (random(2) === 0 ? recounts[0] : Promise.all(recounts));
        await Promise.all(recounts);
        seen.recounts++;
      }
      if (random(15) !== 0 && round !== rounds - 1) continue;
      assert.deepEqual(await nodes[0].problems(), [], "as it is behind");
      await nodes[0].summarizer.fold(experimentId, notStopped);
      const expected = await nodes[1].expected();
      assert.deepEqual(await nodes[0].summaries(), expected, `in round ${round}`);
      assert.deepEqual(await nodes[0].problems(), []);
      seen.dropped = expected.has("wide {}") && !expected.has('wide {"k":"1"}') ? 1 : 0;
    }
    await domain.execute(
      "UPDATE metric_summary SET max = max + 1 WHERE experiment = $1",
      experimentId,
    );
    const problems = await nodes[0].problems();
    assert.equal(problems.length, (await nodes[0].summaries()).size);
    assert.match(problems.join(), /summary of loss has max/);
    await domain.execute("UPDATE summarized SET counted = 0 WHERE experiment = $1", experimentId);
    await nodes[0].summarizer.recount(experimentId, notStopped);
    assert.deepEqual(await nodes[0].problems(), []);
    for (const [what, count] of Object.entries(seen)) {
      assert.ok(count > 0 || rounds < 250, `there was nothing of: ${what}`);
    }
  });

  test("no seal waits for a fold that waits, and that can be stopped", oneMinute, async () => {
    const directory = await mkdtemp(join(tmpdir(), "lossless-summaries-"));
    after(() => rm(directory, { recursive: true }));
    const database = await fresh.openMigrated();
    const domain = new TestNode(database);
    const organizationId = await domain.newOrganization();
    const data = { slug: "run", description: "", meta: "{}" };
    const { experimentId } = await domain.write(openExperiment, { organizationId, data });
    const node = new Node(database, directory, experimentId);
    node.restart(new Pace(0.001));
    const random = randomNumbers(seed);
    await node.commit(Array.from({ length: 100 }, () => randomPoint(random, 0)));
    const stop = new AbortController();
    const fold = node.summarizer.fold(experimentId, stop.signal);
    const stopped = assert.rejects(fold, { name: "AbortError" });
    assert.equal(await node.seal(Infinity), 1);
    stop.abort();
    await stopped;
    node.restart();
    await node.summarizer.fold(experimentId, notStopped);
    assert.deepEqual(await node.summaries(), await node.expected());
    assert.deepEqual(await node.problems(), []);
  });

  test("what was there before is counted and indexed", async () => {
    const directory = await mkdtemp(join(tmpdir(), "lossless-summaries-"));
    after(() => rm(directory, { recursive: true }));
    const database = await fresh.openMigrated();
    const domain = new TestNode(database);
    const organizationId = await domain.newOrganization();
    const open = async (slug: string) => {
      const data = { slug, description: "", meta: '{"lr":1}' };
      return (await domain.write(openExperiment, { organizationId, data })).experimentId;
    };
    const experiments = [await open("empty"), await open("full")];
    const nodes = experiments.map((id) => new Node(database, directory, id));
    const random = randomNumbers(seed);
    for (let round = 0; round < 20; round++) {
      await nodes[1].commit(Array.from({ length: 20 }, () => randomPoint(random, round)));
      if (round === 12) await nodes[1].sealer.seal(experiments[1]);
    }
    const older = await fresh.inFormat(7, database);
    assert.equal(await migrate(older), 7);
    const rows = await new TestNode(older).all<{
      experiment: string;
      counted: number;
      due: number;
    }>(
      `SELECT experiment, counted, meta_version - indexed_version AS due FROM summarized
       WHERE experiment IN ($1, $2) ORDER BY counted DESC`,
      ...experiments,
    );
    const expected = experiments.map((experiment, counted) => [experiment, 1 - counted, 1]);
    assert.deepEqual(
      rows.map((row) => [row.experiment, row.counted, row.due]),
      expected,
    );
    const full = new Node(older, directory, experiments[1]);
    await full.summarizer.recount(experiments[1], notStopped);
    assert.deepEqual(await full.summaries(), await full.expected());
    assert.deepEqual(await full.problems(), []);
  });

  test("times of points from before migration 039 become those of all points, by themselves", async () => {
    const directory = await mkdtemp(join(tmpdir(), "lossless-summaries-"));
    after(() => rm(directory, { recursive: true }));
    const database = await fresh.openMigrated();
    const domain = new TestNode(database);
    const organizationId = await domain.newOrganization();
    const random = randomNumbers(seed);
    const experiments: { id: string; node: Node; times: number[] }[] = [];
    for (const slug of ["all sealed", "none", "some", "folded while it is read"]) {
      const data = { slug, description: "", meta: "{}" };
      const { experimentId: id } = await domain.write(openExperiment, { organizationId, data });
      const node = new Node(database, directory, id);
      const times: number[] = [];
      for (let round = 0; round < 8; round++) {
        // Times that do not go with the steps.
        const points = Array.from({ length: 20 }, (_, at) => {
          const point = { ...randomPoint(random, round), id: `${round} ${at}` };
          return { ...point, timestamp: 1_000 + random(100_000) };
        });
        times.push(...points.map(({ timestamp }) => timestamp));
        await node.commit(points);
        if (slug === "all sealed" || (slug !== "none" && round === 5)) await node.seal(Infinity);
      }
      await node.summarizer.fold(id, notStopped);
      experiments.push({ id, node, times });
    }
    // Before migration 033, which takes them from the first and the last step.
    const older = await fresh.inFormat(25, database);
    assert.equal(await migrate(older), 25);
    const before = new TestNode(older);
    const own = `experiment IN (SELECT id FROM experiment WHERE organization = '${organizationId}')`;
    await before.execute(`UPDATE summarized SET reach_whole = 1 WHERE NOT ${own}`);
    const reaches = async () => {
      const rows = await before.all<{ first: number; last: number; whole: number }>(
        `SELECT first_point_ms AS first, last_point_ms AS last, reach_whole AS whole
         FROM summarized WHERE ${own} ORDER BY experiment`,
      );
      return rows.map((row) => ({ ...row }));
    };
    const expected = experiments
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ times }) => ({ first: Math.min(...times), last: Math.max(...times), whole: 1 }));
    const narrow = await reaches();
    assert.ok(narrow.every(({ whole }) => whole === 0));
    assert.notDeepEqual(
      narrow.map((row) => ({ ...row, whole: 1 })),
      expected,
    );

    for (const one of experiments) one.node = new Node(older, directory, one.id);
    const late = experiments[3];
    const read = await late.node.wholeReach();
    const task = new Recounting({
      database: older,
      summarizer: experiments[0].node.summarizer,
      widenReach: async (id) => {
        const { node } = experiments.find((one) => one.id === id)!;
        await node.widen(id === late.id ? read : await node.wholeReach());
      },
      trim: async () => undefined,
      indexMetas: async () => undefined,
      noteVersions: async () => ({ more: false }),
      slices: undefined,
      away: undefined,
      warn: (message) => assert.fail(message),
    });
    // A fold that has read the narrow times writes after they were widened: it begins anew.
    await late.node.commit([{ ...randomPoint(random, 9), id: "late", timestamp: 50_000 }]);
    let widened: Promise<void> | undefined;
    late.node.beforeFold = () => (widened ??= late.node.widen(read));
    await late.node.summarizer.fold(late.id, notStopped);
    await late.node.summarizer.fold(late.id, notStopped);
    assert.ok(widened);
    while (await task.round(notStopped));
    assert.deepEqual(await reaches(), expected);
    for (const { node } of experiments) assert.deepEqual(await node.problems(), []);
  });
});

interface Point {
  id: string;
  name: string;
  meta: string;
  step: number;
  timestamp: number;
  value: number;
}

/** Steps and times often tie, within a partition and among several; eighths add up exactly. */
function randomPoint(random: (below: number) => number, round: number): Point {
  const name = ["loss", "accuracy", "wide"][random(3)];
  const partitions = name === "wide" ? Math.min(2 + round, 60) : 3;
  const number = random(partitions);
  return {
    id: `id ${random(60 * (round + 1))}`,
    name,
    meta: number === 0 ? "{}" : JSON.stringify({ k: String(number) }),
    step: random(8) === 0 ? random(1_000_000) : Math.floor(round / 3),
    timestamp: 1_000 + random(3),
    value: (random(2_001) - 1_000) / 8,
  };
}

function isCutOff(error: unknown): void {
  assert.match((error as Error).message, /cut off/);
}

type Row = Record<string, number>;

/** A process that writes points and does the background's work. */
class Node {
  sealer!: Sealer;
  merger!: Merger;
  summarizer!: Summarizer;
  /** What else happens before a fold is written. */
  beforeFold: () => Promise<void> | void = () => {};
  readonly #database: Database;
  readonly #bucket: DiskBucket;
  readonly #experimentId: string;
  readonly #hasher = new IdentifierHasher(new Uint32Array([1, 2, 3, 4]));
  #groups!: GroupCommit;
  /** Number of further writes of folds before one is cut off. */
  #foldsLeft = Infinity;

  constructor(database: Database, directory: string, experimentId: string) {
    this.#database = database;
    this.#bucket = new DiskBucket(join(directory, "segments"));
    this.#experimentId = experimentId;
    this.restart();
  }

  /** A new process: nothing in memory. */
  restart(pace = new Pace(Infinity)): void {
    const write = async (name: string, input: unknown) => {
      if (name === "summaries.fold" && this.#foldsLeft-- <= 0) throw new Error("cut off");
      if (name === "summaries.fold") await this.beforeFold();
      const [answer] = await this.#groups.commit([
        { writes: [{ kind: "call", name, input } as WriteRequest["writes"][number]] },
      ]);
      if ("error" in answer) throw answer.error;
      const [outcome] = answer.outcomes;
      assert.equal(outcome.kind, "value");
      return (outcome as { value: unknown }).value as never;
    };
    const tools: EngineTools & SummaryTools = {
      database: this.#database,
      bucket: this.#bucket,
      pace,
      rowsPerWrite: 2,
      write,
    };
    this.summarizer = new Summarizer(tools);
    this.sealer = new Sealer(tools, this.#hasher, (experimentId, from, records) =>
      this.summarizer.foldSealed(experimentId, { from, records }).catch(isCutOff),
    );
    this.merger = new Merger(tools);
    const logs = new ExperimentLogs({
      bucket: this.#bucket,
      hasher: this.#hasher,
      seriesPerExperiment: 0,
      sealPoints: Infinity,
    });
    const operations = writeOperations as Record<string, WriteOperation>;
    this.#groups = new GroupCommit(this.#database, logs, operations, () => 0, assert.fail);
  }

  wholeReach(): Promise<WholeReach | undefined> {
    const tools = { database: this.#database, bucket: this.#bucket };
    return readWholeReach(tools, this.#experimentId);
  }

  async widen(reach: WholeReach | undefined): Promise<void> {
    if (reach !== undefined)
      await this.#database.write((transaction) => widenReach(transaction, reach));
  }

  /** Runs a fold of which at most this many transactions are committed. */
  async foldCutOff(transactions: number): Promise<number> {
    this.#foldsLeft = transactions;
    try {
      await this.summarizer.fold(this.#experimentId, notStopped);
      return 0;
    } catch (error) {
      isCutOff(error);
      return 1;
    } finally {
      this.#foldsLeft = Infinity;
    }
  }

  /** Seals, with a fold that may be cut off: the log keeps points that the summaries lack. */
  async seal(transactions: number): Promise<number> {
    this.#foldsLeft = transactions;
    const sealed = await this.sealer.seal(this.#experimentId);
    this.#foldsLeft = Infinity;
    return sealed > 0 ? 1 : 0;
  }

  async commit(points: Point[]): Promise<void> {
    const experimentId = this.#experimentId;
    const writes = [{ kind: "metrics" as const, experimentId, points: this.#batch(points) }];
    const [answer] = await this.#groups.commit([{ writes }]);
    assert.ok("outcomes" in answer && answer.outcomes[0].kind === "metrics");
    const results = [...answer.outcomes[0].results];
    assert.ok(results.some((result) => result !== PointResult.limitExceeded));
  }

  /** Returns the problems that `lossless verify` reports of the experiment. */
  problems(): Promise<string[]> {
    return this.#database.read((reader) =>
      checkSummaries(reader, this.#bucket, this.#experimentId),
    );
  }

  /** Summaries by name and meta; '{}' is all partitions together. */
  async summaries(): Promise<Map<string, Row>> {
    const rows = await this.#database.read((reader) =>
      reader.all<Row & { name: string; meta: string }>(
        `SELECT name, meta, points, sum, first, first_step, last, last_step, min, min_step, max,
           max_step
         FROM metric_summary JOIN metric_name ON id = metric WHERE experiment = $1`,
        this.#experimentId,
      ),
    );
    const entries = rows.map(({ name, meta, ...row }): [string, Row] => [
      `${name} ${meta || "{}"}`,
      row,
    ]);
    return new Map(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  async expected(): Promise<Map<string, Row>> {
    const groups = new Map<string, (Point & { partition: number })[]>();
    await this.#database.read(async (reader) => {
      const series = await reader.all<{ partition: number; name: string; meta: string }>(
        "SELECT partition, name, meta FROM series WHERE experiment = $1 ORDER BY partition",
        this.#experimentId,
      );
      const numbers = series.map(({ partition }) => partition);
      const snapshots = new Snapshots(this.#bucket, 0);
      const snapshot = await snapshots.take(reader, this.#experimentId, numbers);
      for (const { partition, name, meta } of series) {
        const isWide = series.filter((other) => other.name === name).length > 32;
        const keys = isWide || meta === "{}" ? [`${name} {}`] : [`${name} {}`, `${name} ${meta}`];
        for await (const block of searchPoints(snapshot.sources(partition), "step")) {
          for (const [row, step] of block.step.entries()) {
            const [timestamp, value] = [block.timestamp[row], block.value[row]];
            const point = { id: "", name, meta, step, timestamp, value, partition };
            for (const key of keys) groups.set(key, [...(groups.get(key) ?? []), point]);
          }
        }
      }
    });
    const entries = [...groups].map(([key, points]): [string, Row] => [key, expectedRow(points)]);
    return new Map(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  #batch(points: Point[]): PointBatch {
    const columns = new ArrayBuffer(44 * points.length);
    const views = pointColumns(columns, points.length);
    const partitions = [...new Set(points.map(({ name, meta }) => partitionKey(name, meta)))];
    for (const [row, { id, name, meta, step, timestamp, value }] of points.entries()) {
      views.step[row] = step;
      views.timestamp[row] = timestamp;
      views.value[row] = value;
      views.partition[row] = partitions.indexOf(partitionKey(name, meta));
      this.#hasher.hash(id, views.identifier, 4 * row);
    }
    return { count: points.length, columns, partitions, prefixes: [] };
  }
}

/** The sort is stable: points of one partition stay in the order of the series. */
function expectedRow(points: (Point & { partition: number })[]): Row {
  const sorted = points.toSorted(
    (left, right) =>
      left.step - right.step ||
      left.timestamp - right.timestamp ||
      left.partition - right.partition,
  );
  const [first, last] = [sorted[0], sorted.at(-1)!];
  const values = points.map(({ value }) => value);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return {
    points: points.length,
    sum: values.reduce((sum, value) => sum + value, 0),
    first: first.value,
    first_step: first.step,
    last: last.value,
    last_step: last.step,
    min,
    min_step: sorted.find(({ value }) => value === min)!.step,
    max,
    max_step: sorted.find(({ value }) => value === max)!.step,
  };
}
