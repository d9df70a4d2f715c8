import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { OrganizationCaller, type RequestEvent, targetOf } from "../contract/callers.ts";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { signIn } from "../contract/people.ts";
import { askTrash, entriesOf, trashed, untilGone } from "../contract/trash-v1/trash-calls.ts";
import { type KillPoint, patchOf } from "../crash/kill-points.ts";
import { type Patch, PatchedCheckout } from "../crash/patched-checkout.ts";
import { runVerify } from "../crash/verify-command.ts";
import { sharedPostgres } from "../postgres.ts";
import { MovableClock } from "../movable-clock.ts";
import { organizations, Service } from "../service.ts";

const purge = "server/src/storage/background/series-purge.ts";
const dropper = "server/src/points/partition-dropper.ts";
const stepTaken =
  "const { series, ...taken } = elsewhere === undefined ? first : await parts.step(id, true);";

/** Between any two durable steps of the purge of a series, in their order. */
const killPoints: (KillPoint & { leavesObject?: true })[] = [
  {
    name: "some of MLflow's values are gone",
    file: purge,
    behind: stepTaken,
    when: "taken.rows > 0",
  },
  {
    name: "MLflow's values are gone, the log is not sealed",
    file: purge,
    behind: stepTaken,
    when: "series !== undefined",
  },
  {
    name: "the log is sealed for it",
    file: dropper,
    behind: "await this.#tools.seal(experimentId);",
    when: "true",
  },
  {
    name: "a segment is written again, and not published",
    file: dropper,
    before: "return staged.publish(() =>",
    when: "true",
    leavesObject: true,
  },
  {
    name: "half of what publishes it is done",
    file: "server/src/points/drop-points.ts",
    before: "const points = dropped.reduce(",
    when: "true",
    leavesObject: true,
  },
  {
    name: "one segment is without it, the next is not",
    file: purge,
    before: 'if (dropping === "waiting")',
    when: 'dropping === "rewritten"',
  },
  {
    name: "no segment has a point of it, its entry is there",
    file: purge,
    before: "return parts.end(id, series, dropping.manifestSeq);",
    when: "true",
  },
  {
    name: "half of what ends it is done",
    file: "server/src/trash/purge-series.ts",
    before: 'await transaction.run("DELETE FROM trash WHERE id = $1", id);',
    when: "true",
  },
  {
    name: "it is ended, and nobody has heard",
    file: "server/src/storage/background/purging.ts",
    before: "await this.#parts.pace.take(rows, stopped);",
    when: "isDone",
  },
  {
    name: "the old objects are deleted, their names are known",
    file: "server/src/points/segment-sweeper.ts",
    before: "if (garbage.length > 0) {",
    when: "garbage.length > 0",
  },
];

const hourMs = 60 * 60_000;
/** A service that nothing kills is told from a slow one. */
const patienceMs = 60_000;

const wholeTitle =
  "R2: killed between any two steps of the purge of a series, it goes on: nothing is doubled, lost or left";

test(wholeTitle, () => killAtEach({}));

/** Where its transactions and its rows of objects take the places of SQLite's and of files. */
test("R2: the same on PostgreSQL", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await killAtEach({ databaseUrl }, [shortLease]);
});

/** Who is started again waits until the lease of the one that was killed has ended. */
const shortLease: Patch = {
  file: "server/src/storage/background-thread.ts",
  find: "const leaseMs = 15_000;",
  replace: "const leaseMs = 500;",
};

async function killAtEach(
  { databaseUrl }: { databaseUrl?: string },
  further: Patch[] = [],
): Promise<void> {
  using checkout = new PatchedCheckout([...killPoints.map(patchOf), ...further]);
  const scratch = mkdtempSync(join(tmpdir(), "lossless-series-kills-"));
  const armed = join(scratch, "armed");
  const clock = new MovableClock(scratch);
  // Only purges seal, so that each has a log of its own.
  await using service = new Service({
    checkout: checkout.directory,
    databaseUrl,
    people: true,
    flags: ["--seal-points", "1000000", "--seal-idle-ms", String(24 * hourMs)],
    nodeFlags: clock.service.nodeFlags,
    environment: { ...clock.service.environment, LOSSLESS_TEST_KILL_POINT: armed },
  });
  await service.start();
  const admin = await signIn(targetOf(service), "ada");
  const runs: Run[] = [];
  for (const { name } of killPoints) runs.push(await Run.record(service, admin, name));
  const last = await Run.record(service, admin, "nobody is killed");
  // Each has a segment, from which one series is gone already, and a log.
  for (const run of [...runs, last]) await run.recordMore();

  for (const [at, { name }] of killPoints.entries()) {
    // Objects that were replaced stay for an hour.
    if (at === killPoints.length - 1) clock.aheadMs = 2 * hourMs;
    writeFileSync(armed, name);
    // Who asks for it may be answered before, or not.
    await runs[at].purge().catch(() => undefined);
    const end = await Promise.race([service.exited, sleep(patienceMs, "it lives", { ref: false })]);
    assert.equal(end, "SIGKILL", `${name}: ${service.errors}`);
    rmSync(armed);
    await service.start();
    await untilGone(targetOf(service), runs[at].entries);
    await runs[at].requirePurged();
  }
  clock.aheadMs = 4 * hourMs;
  await last.purge();
  await untilGone(targetOf(service), last.entries);
  for (const run of [...runs, last]) await run.requirePurged();
  // An object that was stored and never published is the sweeper's a day later, unless the
  // experiment goes before.
  const [going, staying] = [true, undefined].map((leaves) =>
    runs.filter((_, at) => killPoints[at].leavesObject === leaves),
  );
  for (const run of going) await run.purgeWhole();
  assert.equal(await service.stop(), 0, service.errors);
  const { code, output } = await runVerify(service);
  assert.equal(code, 0, output);
  await requireNothingLeft(new Stored(service), [...staying, last]);
  rmSync(scratch, { recursive: true });
}

/** One step removes fewer. */
const mlflowValues = 600;
const steps = Array.from({ length: 20 }, (_, step) => step);

/** An experiment with a series that is purged, and one that nothing may change. */
class Run {
  readonly name: string;
  readonly experimentId: string;
  readonly entries: string[] = [];
  readonly #service: Service;
  readonly #admin: string;
  readonly #sent: RequestEvent[] = [];
  #picture: unknown;

  private constructor(service: Service, admin: string, name: string, experimentId: string) {
    this.#service = service;
    this.#admin = admin;
    this.name = name;
    this.experimentId = experimentId;
  }

  /** Records three series, of which one is purged at once: that seals the log. */
  static async record(service: Service, admin: string, name: string): Promise<Run> {
    const { experimentId } = await acme(service).open(name);
    const run = new Run(service, admin, name, experimentId);
    await run.#send("first", "loss", "acc");
    const metrics = Array.from({ length: mlflowValues }, (_, at) => {
      return { key: at < 3 ? "acc" : "loss", value: "NaN", timestamp: at, step: at };
    });
    await run.#mlflow.post("runs/log-batch", { run_id: experimentId, metrics });
    await run.#trash("first");
    await run.purge();
    await untilGone(targetOf(service), run.entries);
    return run;
  }

  /** These points are in the log when the second series is purged. */
  async recordMore(): Promise<void> {
    const before = await this.#seen("acc");
    await this.#send("loss", "acc");
    const after = await this.#seen("acc");
    assert.notDeepEqual(after, before);
    await this.#trash("loss");
    this.#picture = await this.#seen();
    assert.deepEqual(await this.#seen("acc"), after);
  }

  /** Purges what was deleted last. */
  async purge(): Promise<void> {
    const request = { body: { ids: this.entries.slice(-1) }, credential: this.#admin };
    await entriesOf(askTrash(targetOf(this.#service), "purge", request));
  }

  /** Purges the experiment, until nothing of it is on the disk. */
  async purgeWhole(): Promise<void> {
    const stored = new Stored(this.#service);
    const hasObjects = async () =>
      (await stored.objects()).some((key) => key.startsWith(`${this.experimentId}/`));
    assert.ok(await hasObjects());
    const [{ id }] = await trashed(targetOf(this.#service), this.experimentId);
    this.entries.push(id);
    await this.purge();
    // A stop between the two would leave the names of what is gone.
    const hasGarbage = async () =>
      (await stored.keys("SELECT key FROM garbage")).some((key) =>
        key.startsWith(`${this.experimentId}/`),
      );
    while ((await hasObjects()) || (await hasGarbage())) await sleep(20);
  }

  /**
   * Checks that purged points are known and not stored again, and that the other series is
   * unchanged.
   */
  async requirePurged(): Promise<void> {
    assert.deepEqual(await this.#seen(), this.#picture, this.name);
    const again = await (await acme(this.#service).open(this.name)).send(...this.#sent);
    assert.ok(
      again.every(({ data }) => data.deduplicated === true),
      this.name,
    );
    assert.deepEqual(await this.#seen(), this.#picture, this.name);
  }

  /** Points that are left, and those that went with each of the series. */
  get counts() {
    const of = (name: string) => this.#sent.filter(({ data }) => data.metricName === name).length;
    return { acc: of("acc"), first: of("first"), loss: of("loss") };
  }

  async #trash(name: string): Promise<void> {
    const body = { experimentId: this.experimentId, seriesNames: [name] };
    const [{ id }] = await entriesOf(askTrash(targetOf(this.#service), "series", { body }));
    this.entries.push(id);
  }

  get #mlflow(): MlflowCaller {
    return new MlflowCaller(targetOf(this.#service), organizations.acme.key);
  }

  async #send(...series: string[]): Promise<void> {
    const experiment = await acme(this.#service).open(this.name);
    const from = this.#sent.length;
    const events = steps.flatMap((step) =>
      series.map((metricName) => {
        const point = { metricName, step: from + step, metricValue: (from + step) / 7 };
        // By turns counted and not.
        const word =
          step % 2 === 0 ? `${metricName}-${from + step}` : `${metricName} ${from + step}`;
        return experiment.metric(point, word);
      }),
    );
    await experiment.send(...events);
    this.#sent.push(...events);
  }

  /** The reads of all series, or of one. */
  async #seen(series?: string): Promise<unknown> {
    const { experimentId } = this;
    const caller = acme(this.#service);
    const history = (metric_key: string) =>
      this.#mlflow.get("metrics/get-history", { run_id: experimentId, metric_key });
    const one = { points: undefined, history: await history("acc") };
    if (series !== undefined)
      return { ...one, points: (await caller.oneSeries(experimentId, series)).partitions };
    return {
      ...one,
      points: (await caller.series(experimentId)).partitions,
      catalog: (await caller.ask("query.catalog", { experimentId })).series,
      metrics: (await this.#mlflow.read(experimentId)).data["metrics"],
      deleted: await history("loss"),
    };
  }
}

function acme(service: Service): OrganizationCaller {
  return new OrganizationCaller(targetOf(service), organizations.acme.key);
}

/** The content of the database and the bucket of segments, on either database. */
class Stored {
  readonly #dataDirectory: string;
  readonly #databaseUrl: string | undefined;

  constructor({ dataDirectory, options }: Service) {
    this.#dataDirectory = dataDirectory;
    this.#databaseUrl = options.databaseUrl;
  }

  async all(statement: string): Promise<Record<string, unknown>[]> {
    if (this.#databaseUrl === undefined) {
      const path = join(this.#dataDirectory, "lossless.db");
      using database = new DatabaseSync(path, { readOnly: true });
      return database
        .prepare(statement)
        .all()
        .map((row) => ({ ...row }));
    }
    const client = new Client({ connectionString: this.#databaseUrl });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  async keys(statement: string): Promise<string[]> {
    return (await this.all(statement)).map(({ key }) => String(key));
  }

  async objects(): Promise<string[]> {
    const names =
      this.#databaseUrl === undefined
        ? readdirSync(join(this.#dataDirectory, "segments"), { recursive: true }).map(String)
        : await this.keys("SELECT key FROM object");
    return names.filter((name) => name.includes("/"));
  }
}

/** Each object is one of a segment, or garbage of the last purge, whose hour is not over. */
async function requireNothingLeft(stored: Stored, runs: readonly Run[]): Promise<void> {
  for (const statement of [
    "trash",
    "dropped_series WHERE trash IS NOT NULL",
    "run_metric WHERE trashed = 1",
    "run_point WHERE trashed = 1",
  ]) {
    const [{ rows }] = await stored.all(`SELECT count(*) AS rows FROM ${statement}`);
    assert.equal(Number(rows), 0, statement);
  }
  for (const { experimentId, name, counts } of runs) {
    const whose = `WHERE experiment = '${experimentId}'`;
    const [head] = await stored.all(`SELECT points, sealed_points FROM head ${whose}`);
    const numbers = [head["points"], head["sealed_points"]].map(Number);
    assert.deepEqual(numbers, [counts.acc, counts.acc], name);
    const dropped = await stored.all(
      `SELECT name, points FROM dropped_series ${whose} ORDER BY name`,
    );
    assert.deepEqual(
      dropped.map((row) => [row["name"], Number(row["points"])]),
      [
        ["first", counts.first],
        ["loss", counts.loss],
      ],
    );
  }
  const garbage = await stored.keys("SELECT key FROM garbage");
  const keys = [...(await stored.keys("SELECT key FROM segment")), ...garbage];
  const objects = await stored.objects();
  assert.deepEqual(
    keys.filter((key) => !objects.includes(key)),
    [],
  );
  assert.deepEqual(
    objects.filter((name) => !keys.includes(name)),
    [],
  );
  const own = garbage.filter((key) => key.startsWith(`${runs.at(-1)!.experimentId}/`));
  assert.deepEqual(garbage, own);
}
