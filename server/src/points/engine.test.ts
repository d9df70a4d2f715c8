import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { DiskBucket } from "../buckets/segments/disk.ts";
import { DatabaseError, type Database } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { openSqlite } from "../database/sqlite.ts";
import { GroupCommit, type WriteOperation, type WriteRequest } from "../storage/group-commit.ts";
import { writeOperations } from "../storage/operations.ts";
import { PointResult, type Outcome } from "../storage/storage.ts";
import { ExperimentLogs } from "./experiment-logs.ts";
import { counterHigh, counterLow, counterStart, counterValue } from "./identifiers/counter.ts";
import { IdentifierHasher } from "./identifiers/hash.ts";
import { Merger } from "./merge.ts";
import { counterFlag, partitionKey, pointColumns, type PointBatch } from "./point-batch.ts";
import { type Dropped, PartitionDropper } from "./partition-dropper.ts";
import { searchPoints } from "./search.ts";
import { Sealer, type EngineTools } from "./seal.ts";
import { Snapshots } from "./snapshots.ts";
import { randomNumbers } from "../ground/random.fixture.ts";

/**
 * The engine against a plain Map: groups with repeated, conflicting and twice-in-one-group
 * identifiers, failed and unknown commits, restarts, logs that leave the memory, seals, merges and
 * purges of a series in a random order. LOSSLESS_ENGINE_ROUNDS makes it longer.
 */
const rounds = Number(process.env["LOSSLESS_ENGINE_ROUNDS"] ?? 400);
const seed = Number(process.env["LOSSLESS_ENGINE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

for (const kinds of ["of every kind", "in runs of counters"] as const) {
  const name = `the engine stores each identifier once and answers like a Map, ${kinds} (seed ${seed}, ${rounds} rounds)`;
  test(name, () => history(kinds));
}

async function history(kinds: "of every kind" | "in runs of counters"): Promise<void> {
  await using engine = await Engine.open();
  const random = randomNumbers(seed);
  const model = new Map<string, Point>();
  const purged: Purged = { ids: new Set(), names: new Set() };
  const seen = {
    duplicate: 0,
    conflict: 0,
    failed: 0,
    unknown: 0,
    seals: 0,
    merges: 0,
    purges: 0,
    evicted: 0,
  };
  for (let round = 0; round < rounds; round++) {
    const requests = Array.from({ length: 1 + random(4) }, () =>
      randomPoints(random, round, kinds),
    );
    const fault = random(12) === 0 ? (["lost", "unknown"] as const)[random(2)] : undefined;
    const answers = await engine.commit(requests, fault);
    if (fault !== undefined) {
      assert.equal(answers, undefined);
      seen[fault === "lost" ? "failed" : "unknown"]++;
      // The outcome is unknown: an honest client sends again, and so does this one.
      const again = await engine.commit(requests, undefined);
      if (fault === "lost") check(requests, again!, model, purged, seen);
      else settle(requests, again!, model, purged);
    } else check(requests, answers!, model, purged, seen);
    if (random(25) === 0) engine.restart(random(2) === 0 ? 0 : Infinity);
    if (random(10) === 0 || round === 0) seen.evicted += await engine.evict();
    if (round > 20 && random(12) === 0)
      seen.seals += (await engine.sealer.seal(engine.experimentId)) > 0 ? 1 : 0;
    // Some at fixed rounds too, or an unlucky seed has no merge that finds something due.
    if (random(40) === 0 || round % 100 === 99)
      seen.merges += await engine.merger.mergeDue(engine.experimentId);
    if (random(60) === 0 || round % 150 === 149)
      seen.purges += (await purgeSeries(engine, `series/${random(6)}`, model, purged)) ? 1 : 0;
  }
  assert.deepEqual(await engine.stored(), sortedPayloads(model, purged));
  for (const [what, count] of Object.entries(seen))
    assert.ok(count > 0 || rounds < 400, `no ${what} was hit`);
}

/** Purged data: the identifiers of its points, and the names of its series. */
interface Purged {
  ids: Set<string>;
  names: Set<string>;
}

/** False: there is no such series now. */
async function purgeSeries(
  engine: Engine,
  name: string,
  model: ReadonlyMap<string, Point>,
  purged: Purged,
): Promise<boolean> {
  const living = [...model.values()].filter((point) => point.name === name);
  const ids = living.map(({ id }) => id).filter((id) => !purged.ids.has(id));
  if (ids.length === 0) return false;
  await engine.purge(name);
  purged.names.add(name);
  for (const id of ids) purged.ids.add(id);
  return true;
}

interface Point {
  id: string;
  name: string;
  step: number;
  timestamp: number;
  value: number;
}

function check(
  requests: Point[][],
  answers: Uint8Array[],
  model: Map<string, Point>,
  purged: Purged,
  seen: { duplicate: number; conflict: number },
): void {
  for (const [index, points] of requests.entries()) {
    for (const [row, point] of points.entries()) {
      const known = model.get(point.id);
      let expected: number = PointResult.stored;
      if (known === undefined) model.set(point.id, point);
      else if (isUnsure(point, known, purged)) {
        assert.ok(answers[index][row] !== PointResult.stored, JSON.stringify(point));
        continue;
      } else if (payload(known) === payload(point)) {
        expected = PointResult.duplicate;
        seen.duplicate++;
      } else {
        expected = PointResult.conflict;
        seen.conflict++;
      }
      assert.equal(
        answers[index][row],
        expected,
        `${JSON.stringify(point)} after ${JSON.stringify(known)}`,
      );
    }
  }
}

/**
 * The payloads of purged points are gone, so that another one under a known counter, in a series of
 * which points were purged, is taken for a repeated one. Equal ones are always repeated.
 */
function isUnsure(point: Point, known: Point, purged: Purged): boolean {
  return payload(point) !== payload(known) && purged.names.has(point.name);
}

/** After an unknown outcome that was in fact a commit, points new at first are duplicates now. */
function settle(
  requests: Point[][],
  answers: Uint8Array[],
  model: Map<string, Point>,
  purged: Purged,
): void {
  for (const [index, points] of requests.entries()) {
    for (const [row, point] of points.entries()) {
      if (!model.has(point.id)) model.set(point.id, point);
      const known = model.get(point.id)!;
      if (isUnsure(point, known, purged)) {
        assert.ok(answers[index][row] !== PointResult.stored, JSON.stringify(point));
        continue;
      }
      const same = payload(known) === payload(point);
      assert.equal(answers[index][row], same ? PointResult.duplicate : PointResult.conflict);
    }
  }
}

function randomPoints(
  random: (below: number) => number,
  round: number,
  kinds: "of every kind" | "in runs of counters",
): Point[] {
  // As our own clients number them: a whole batch whose counters follow each other.
  const isRun = kinds === "in runs of counters" || random(3) === 0;
  const from = isRun ? Math.max(0, round * 60 + random(100) - random(4) * 100) : undefined;
  return Array.from({ length: 1 + random(60) }, (_, at) => {
    // Random ids, dense counters, thin counters, counters of many prefixes, and ids seen long ago.
    const id = [
      ...(from === undefined ? [] : [() => `run-${from + at}`]),
      () => `id ${random(40 * (round + 1))}`,
      () => `run-${round * 20 + random(60)}`,
      () => `run-${random(20 * (round + 1))}`,
      () => `thin-${random(1_000) * 1_000_003}`,
      () => `many${random(500)}-${random(3)}`,
    ][from === undefined ? random(5) : 0]();
    // Few payloads, so that the same point often comes under two identifiers.
    const step = random(4) === 0 ? random(2 ** 31) : round;
    return {
      id,
      name: `series/${random(6)}`,
      step,
      timestamp: 1_000 * step + random(2),
      value: random(3) / 7,
    };
  });
}

function payload({ name, step, timestamp, value }: Point): string {
  return [name, step, timestamp, value].join(" ");
}

function sortedPayloads(model: ReadonlyMap<string, Point>, { ids }: Purged): string[] {
  const left = [...model.values()].filter(({ id }) => !ids.has(id));
  return left.map(payload).sort();
}

class Engine {
  readonly experimentId = "experiment";
  readonly sealer: Sealer;
  readonly merger: Merger;
  readonly #dropper: PartitionDropper;
  readonly #write: (name: string, input: unknown) => Promise<never>;
  readonly #directory: string;
  readonly #database: Database;
  readonly #bucket: SegmentBucket;
  readonly #hasher = new IdentifierHasher(new Uint32Array([1, 2, 3, 4]));
  #fault: "lost" | "unknown" | undefined;
  #groups!: GroupCommit;
  #logs!: ExperimentLogs;

  static async open(): Promise<Engine> {
    const directory = await mkdtemp(join(tmpdir(), "lossless-engine-"));
    const database = openSqlite({ directory });
    await migrate(database);
    await database.write(async (transaction) => {
      await transaction.run(
        "INSERT INTO organization (id, name, created_at_ms) VALUES ('o', 'o', 0)",
      );
      await transaction.run(
        `INSERT INTO experiment (id, organization, slug, description, meta, status, created_at_ms, updated_at_ms, status_at_ms)
         VALUES ('experiment', 'o', 's', '', '{}', 'running', 0, 0, 0)`,
      );
      await transaction.run(
        `INSERT INTO summarized (experiment, counted, folded_seq, folded_points, folded_at_ms, meta_version, indexed_version)
         VALUES ('experiment', 0, 0, 0, 0, 1, 0)`,
      );
      await transaction.run(
        `INSERT INTO head (experiment, log_seq, seal_seq, manifest_seq, points, sealed_points, revision, appended_at_ms)
         VALUES ('experiment', 0, 0, 0, 0, 0, 0, 0)`,
      );
    });
    return new Engine(directory, database);
  }

  private constructor(directory: string, database: Database) {
    this.#directory = directory;
    this.#database = database;
    this.#bucket = new DiskBucket(join(directory, "segments"));
    this.#write = async (name, input) => {
      const [answer] = await this.#groups.commit([
        {
          writes: [{ kind: "call", name, input } as WriteRequest["writes"][number]],
        },
      ]);
      assert.ok("outcomes" in answer && answer.outcomes[0]?.kind === "value");
      return answer.outcomes[0].value as never;
    };
    const tools: EngineTools = { database, bucket: this.#bucket, write: this.#write };
    this.sealer = new Sealer(tools, this.#hasher, async () => undefined);
    this.merger = new Merger(tools);
    const seal = async (id: string) => void (await this.sealer.seal(id));
    // Nothing is counted here.
    const foldSoon = () => assert.fail();
    this.#dropper = new PartitionDropper({ ...tools, write: this.#write, seal, foldSoon });
    this.restart();
  }

  /** Simulates a new process: nothing in memory, and at most `bytesMax` of idle logs. */
  restart(bytesMax = Infinity): void {
    const faulty: Database = {
      read: (work) => this.#database.read(work),
      write: async (work) => {
        const fault = this.#fault;
        this.#fault = undefined;
        const result = await this.#database.write(async (transaction) => {
          const value = await work(transaction);
          if (fault === "lost") throw new DatabaseError("unavailable", "planted");
          return value;
        });
        if (fault === "unknown") throw new DatabaseError("unknown", "planted");
        return result;
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
    this.#logs = new ExperimentLogs(
      {
        bucket: this.#bucket,
        hasher: this.#hasher,
        seriesPerExperiment: 0,
        sealPoints: Infinity,
      },
      { bytesMax, restingBytesMax: 0, restsAfterMs: 0, looksEveryMs: 0 },
    );
    this.#groups = new GroupCommit(
      faulty,
      this.#logs,
      writeOperations as Record<string, WriteOperation>,
      () => 0,
      (message, error) => {
        // The unknown outcome is reported, and it is the planted one.
        const isPlanted = error instanceof DatabaseError && error.kind === "unknown";
        if (!isPlanted) assert.fail(`${message} ${error.message}`);
      },
    );
  }

  /** A group without the experiment: 1 when its log left the memory. */
  async evict(): Promise<number> {
    const before = this.#logs.size;
    await this.#groups.commit([{ writes: [] }]);
    return before - this.#logs.size;
  }

  /** One result array a request, or undefined when the commit failed. */
  async commit(
    requests: Point[][],
    fault: "lost" | "unknown" | undefined,
  ): Promise<Uint8Array[] | undefined> {
    this.#fault = fault;
    const group = requests.map((points) => ({
      writes: [
        { kind: "metrics" as const, experimentId: this.experimentId, points: this.#batch(points) },
      ],
    }));
    const answers = await this.#groups.commit(group);
    if (answers.some((answer) => "error" in answer)) return undefined;
    return answers.map((answer) => {
      const [outcome] = (answer as { outcomes: Outcome[] }).outcomes;
      assert.equal(outcome.kind, "metrics");
      return (outcome as { results: Uint8Array }).results;
    });
  }

  /** Deletes a series, and takes all steps of its purge. */
  async purge(name: string): Promise<void> {
    const { experimentId } = this;
    const by = { actor: "service", address: null };
    const named = { organizationId: "o", experimentId, seriesNames: [name], daysDefault: 0, by };
    const { entries } = (await this.#write("trash.series", named)) as { entries: { id: string }[] };
    const [{ id }] = entries;
    for (;;) {
      const taken = (await this.#write("trash.purgeStep", { id })) as { series?: Dropped };
      const step = await this.#dropper.step(taken.series!);
      assert.notEqual(step, "waiting");
      if (typeof step === "string") continue;
      const ended = (await this.#write("trash.endSeries", { id, ...step })) as { isDone: boolean };
      if (ended.isDone) return;
    }
  }

  async stored(): Promise<string[]> {
    return this.#database.read(async (reader) => {
      const series = await reader.all<{ partition: number; name: string }>(
        "SELECT partition, name FROM series",
      );
      const partitions = series.map(({ partition }) => partition);
      const snapshot = await new Snapshots(this.#bucket, 0).take(
        reader,
        this.experimentId,
        partitions,
      );
      const found: string[] = [];
      for (const { partition, name } of series) {
        for await (const { step, timestamp, value } of searchPoints(
          snapshot.sources(partition),
          "step",
        )) {
          for (let row = 0; row < step.length; row++) {
            found.push([name, step[row], timestamp[row], value[row]].join(" "));
          }
        }
      }
      return found.sort();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
    await rm(this.#directory, { recursive: true });
  }

  #batch(points: Point[]): PointBatch {
    const columns = new ArrayBuffer(44 * points.length);
    const views = pointColumns(columns, points.length);
    const partitions = [...new Set(points.map(({ name }) => partitionKey(name, "{}")))];
    const prefixes: string[] = [];
    for (const [row, { id, name, step, timestamp, value }] of points.entries()) {
      views.step[row] = step;
      views.timestamp[row] = timestamp;
      views.value[row] = value;
      views.partition[row] = partitions.indexOf(partitionKey(name, "{}"));
      const start = counterStart(id);
      if (start < 0) {
        this.#hasher.hash(id, views.identifier, 4 * row);
        continue;
      }
      const prefix = id.slice(0, start - 1);
      if (!prefixes.includes(prefix)) prefixes.push(prefix);
      const counter = counterValue(id, start);
      views.partition[row] += counterFlag;
      views.identifier.set(
        [prefixes.indexOf(prefix), 0, counterHigh(counter), counterLow(counter)],
        4 * row,
      );
    }
    return { count: points.length, columns, partitions, prefixes };
  }
}
