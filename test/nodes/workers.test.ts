import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ExperimentCaller, OrganizationCaller, repliesTo, targetOf } from "../contract/callers.ts";
import { trashed } from "../contract/trash-v1/trash-calls.ts";
import { Figures } from "../figures.ts";
import type { JsonObject } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { countOf, rowsOf } from "../postgres-rows.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";
import { makeWorkers } from "../workers.ts";
import { ServerSwitch } from "./server-switch.ts";

const { key } = organizations.acme;
const recorded = "svc.v2.metricRecorded";

test("points of an experiment are on one worker, and every node reads them there at once", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using workers = await makeWorkers(2);
  const options = { databaseUrl, environment: workers.environment, flags: ["--seal-points", "30"] };
  await using first = await Service.start(options);
  await using second = await Service.start(options);
  const callers = [first, second].map((node) => new OrganizationCaller(targetOf(node), key));
  const runs: ExperimentCaller[] = [];
  for (let number = 0; number < 6; number++)
    runs.push(await callers[number % 2].open(`run-${number}`));
  for (let batch = 0; batch < 20; batch++) {
    for (const [at, experiment] of runs.entries()) {
      const { experimentId } = experiment;
      const writer = callers[(batch + at) % 2];
      const run = runOn(writer, experiment);
      const points = [0, 1, 2, 3].map((step) => run.metric({ step: 4 * batch + step }));
      // An event of the directory between points of the worker: each reply is in its place.
      const replies = await run.send(...points.slice(0, 2), run.event("start"), ...points.slice(2));
      assert.equal(replies.length, 5);
      const reader = callers[(batch + at + 1) % 2];
      const { done } = await reader.series(experimentId);
      assert.equal(done.points, 4 * (batch + 1));
      const { experiments } = (await reader.ask("query.revisions", {
        experimentIds: [experimentId],
      })) as { experiments: { series: { revision: number }[] }[] };
      assert.equal(experiments[0].series[0].revision, 4 * (batch + 1));
    }
  }
  const points = await Promise.all(workers.urls.map((url) => countOf(url, "sum(points)", "head")));
  assert.equal(points[0] + points[1], 480);
  assert.ok(points[0] > 0 && points[1] > 0, String(points));
  assert.equal(await countOf(databaseUrl, "count(*)", "log"), 0);
  assert.equal(await countOf(databaseUrl, "count(*)", "segment"), 0);
  // The directory is told.
  while ((await countOf(databaseUrl, "sum(points)", "head")) < 480) await sleep(100);
  while ((await countOf(databaseUrl, "sum(folded_seq)", "summarized")) === 0) await sleep(100);
  assert.equal(await countOf(databaseUrl, "count(*)", "series"), 6);
  assert.equal(await countOf(databaseUrl, "count(*)", "errand"), 0);
});

test("the first workers are added while nodes are restarted one after the other", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using workers = await makeWorkers(2);
  const { environment } = workers;
  await using old = await Service.start({ databaseUrl });
  await using first = await Service.start({ databaseUrl, environment });
  const callers = [old, first].map((node) => new OrganizationCaller(targetOf(node), key));
  // Nothing is placed where a node at work would not find it.
  for (const [at, caller] of callers.entries()) {
    const run = await caller.open(`before-${at}`);
    for (const writer of callers) assert.equal(await sent(runOn(writer, run), {}), recorded);
  }
  assert.deepEqual(new Set((await placesOf(databaseUrl)).values()), new Set([0]));
  assert.equal(await old.stop(), 0);
  await using second = await Service.start({ databaseUrl, environment });
  const both = [first, second].map((node) => new OrganizationCaller(targetOf(node), key));
  for (const [at, caller] of both.entries()) {
    let run = await caller.open(`after-${at}`);
    for (let number = 0; (await placeOf(databaseUrl, run)) === 0; number++) {
      await sleep(500);
      run = await caller.open(`after-${at}-${number}`);
    }
    for (const writer of both) assert.equal(await sent(runOn(writer, run), {}), recorded);
  }
  // From here on a node has to know them.
  const refusal = new Service({ databaseUrl });
  await assert.rejects(refusal.start(), /are not given: number 1, 2\. --workers-file/);
  await refusal[Symbol.asyncDispose]();
});

test("a node without workers takes no points that belong on one", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using service = await Service.start({ databaseUrl });
  const acme = new OrganizationCaller(targetOf(service), key);
  const [run, other] = [await acme.open("a"), await acme.open("b")];
  // As if others had taken it for ended, and gone on.
  await rowsOf(databaseUrl, `UPDATE experiment SET server = 1 WHERE id = '${run.experimentId}'`);
  assert.deepEqual([await sent(run, {}), await sent(other, {})], ["503", recorded]);
  assert.equal(await countOf(databaseUrl, "count(*)", "log"), 1);
});

test("a start refuses workers without --segments, and on SQLite", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using workers = await makeWorkers(1);
  const { LOSSLESS_WORKERS_FILE: file } = workers.environment;
  const refused = async (options: ServiceOptions, sentence: RegExp) => {
    await using service = new Service({ ...options, environment: { LOSSLESS_WORKERS_FILE: file } });
    await assert.rejects(service.start(), sentence);
  };
  await refused({ databaseUrl }, /--workers-file needs --segments/);
  await refused({}, /--workers-file needs --database-url/);
});

test("an errand that a crash has left is done before the repeat is acknowledged", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using workers = await makeWorkers(1);
  await using service = await Service.start({ databaseUrl, environment: workers.environment });
  const acme = new OrganizationCaller(targetOf(service), key);
  const run = await acme.open("run");
  // As if the process had died between the commits of its two servers.
  const [worker] = workers.urls;
  for (const table of ["head", "series", "log", "experiment"])
    await rowsOf(worker, `DELETE FROM ${table}`);
  await rowsOf(
    databaseUrl,
    `INSERT INTO errand (experiment, number, name, input)
     SELECT experiment, errand, 'open', '{"organizationId":"' || organization || '"}'
     FROM head JOIN experiment ON experiment.id = head.experiment`,
  );
  const again = await acme.open("run");
  assert.equal(again.experimentId, run.experimentId);
  assert.equal(await countOf(worker, "count(*)", "head"), 1);
  await trashed(targetOf(service), run.experimentId);
  assert.equal(await countOf(worker, "sum(trashed)", "head"), 1);
});

test("a worker that is away refuses its own experiments, and all others go on", async () => {
  await using system = await proxiedSystem();
  const { switches, acme } = system;
  const runs = [await acme.open("a"), await acme.open("b")];
  for (const run of runs) assert.equal(await sent(run, { step: 0 }), recorded);
  switches[0].turnOff();
  const states = await Promise.all(runs.map((run) => sent(run, { step: 1 })));
  assert.deepEqual(states.toSorted(), ["503", recorded]);
  // An annotation is the directory's, and needs no worker.
  for (const run of runs) {
    await run.tell("annotate", { annotation: "text", meta: {} }, "experiment.annotated");
    const { experimentId } = run;
    const { annotations } = await acme.ask("query.annotations", { experimentId });
    const texts = (annotations as { annotation: string }[]).map(({ annotation }) => annotation);
    assert.deepEqual(texts, ["text"]);
  }
  switches[0].turnOn();
  for (const run of runs) while ((await sent(run, { step: 2 })) !== recorded) await sleep(100);
});

// Each of the silent one's experiments would have to be waited for: ten seconds, one after another.
test(
  "what a silent worker has waits, and the others are sealed, folded and told",
  {
    timeout: 150_000,
  },
  async () => {
    const figures = await Figures.onFreePort();
    await using system = await proxiedSystem([...figures.flags, "--seal-idle-ms", "1000"]);
    const { databaseUrl, switches, acme } = system;
    const runs: ExperimentCaller[] = [];
    for (let number = 0; number < 40; number++) runs.push(await acme.open(`run-${number}`));
    const place = await placesOf(databaseUrl);
    const [silent, others] = [1, 2].map((number) =>
      runs.filter(({ experimentId }) => place.get(experimentId) === number),
    );
    assert.ok(silent.length >= 15 && others.length >= 15, `${silent.length} of 40`);
    const answers = (number: number) =>
      figures.value(`lossless_worker_answers{worker="${number}"}`);
    assert.deepEqual([await answers(1), await answers(2)], [1, 1]);
    // The longest logs are sealed first.
    await Promise.all(
      silent.map((run) => run.send(...[0, 1, 2].map((step) => run.metric({ step })))),
    );
    switches[0].silence();
    await Promise.all(others.map((run) => run.send(run.metric())));
    const done = () =>
      countOf(
        databaseUrl,
        "count(*)",
        `head JOIN experiment ON experiment.id = head.experiment
         JOIN summarized ON summarized.experiment = head.experiment
       WHERE server = 2 AND sealed_points = 1 AND folded_seq = log_seq`,
      );
    while ((await done()) < others.length) await sleep(100);
    while ((await answers(1)) === 1) await sleep(100);
    assert.equal(await answers(2), 1);
    assert.equal(await sent(silent[0], { step: 9 }), "503");
    assert.equal(await sent(others[0], { step: 9 }), recorded);

    switches[0].turnOn();
    while ((await sent(silent[0], { step: 9 })) !== recorded) await sleep(100);
    const sealed = () =>
      countOf(
        databaseUrl,
        "count(*)",
        `head JOIN experiment ON experiment.id = head.experiment
       WHERE server = 1 AND points >= 3 AND sealed_points = points`,
      );
    while ((await sealed()) < silent.length) await sleep(100);
    assert.equal(await answers(1), 1);
  },
);

test("a worker that reports damage takes no points for a while, and the node goes on", async () => {
  const figures = await Figures.onFreePort();
  await using system = await proxiedSystem(figures.flags);
  const { workers, acme, service } = system;
  const runs = [await acme.open("a"), await acme.open("b")];
  const [worker] = workers.urls;
  await rowsOf(
    worker,
    `CREATE FUNCTION be_damaged() RETURNS trigger LANGUAGE plpgsql AS
       $$BEGIN RAISE EXCEPTION 'invalid page in block 1' USING ERRCODE = 'XX001'; END$$;
     CREATE TRIGGER damage BEFORE INSERT ON log EXECUTE FUNCTION be_damaged()`,
  );
  const states = await Promise.all(runs.map((run) => sent(run, { step: 0 })));
  assert.deepEqual(states.toSorted(), ["503", recorded]);
  const damaged = runs[states.indexOf("503")];
  const sound = runs[states.indexOf(recorded)];
  assert.match(service.errors + service.output, /reports damage/);
  assert.equal(await figures.value('lossless_worker_damaged{worker="1"}'), 1);
  assert.equal(await figures.value('lossless_worker_damaged{worker="2"}'), 0);
  await rowsOf(worker, "DROP TRIGGER damage ON log");
  while ((await sent(damaged, { step: 0 })) !== recorded) await sleep(100);
  assert.equal(await sent(sound, { step: 1 }), recorded);
});

/** A service whose two workers are behind switches. */
async function proxiedSystem(flags: string[] = []) {
  await using opened = new AsyncDisposableStack();
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const postgresPort = Number(new URL(databaseUrl).port);
  const switches = [
    opened.use(await ServerSwitch.before(postgresPort)),
    opened.use(await ServerSwitch.before(postgresPort)),
  ];
  const behind = (url: string, at: number) => {
    const proxied = new URL(url);
    proxied.port = String(switches[at].port);
    return proxied.href;
  };
  const workers = opened.use(await makeWorkers(2, behind));
  const options = { databaseUrl, environment: workers.environment, flags };
  const service = opened.use(await Service.start(options));
  const acme = new OrganizationCaller(targetOf(service), key);
  const resources = opened.move();
  const dispose = () => resources.disposeAsync();
  return { databaseUrl, workers, switches, service, acme, [Symbol.asyncDispose]: dispose };
}

/** Sends one point, and returns the name of its reply, or the status of what is refused. */
async function sent(run: ExperimentCaller, data: JsonObject): Promise<string> {
  const events = [run.metric(data)];
  const reply = await run.post(events);
  return reply.status === 200 ? repliesTo(events, reply)[0].event : String(reply.status);
}

async function placeOf(databaseUrl: string, { experimentId }: ExperimentCaller) {
  return (await placesOf(databaseUrl)).get(experimentId);
}

async function placesOf(databaseUrl: string): Promise<Map<string, number>> {
  const rows = await rowsOf(
    databaseUrl,
    "SELECT id, CAST(server AS int) AS server FROM experiment",
  );
  return new Map((rows as { id: string; server: number }[]).map(({ id, server }) => [id, server]));
}

/** The same run, at the caller's node. */
function runOn(
  { target }: OrganizationCaller,
  { experimentId, token: experimentToken, slug }: ExperimentCaller,
): ExperimentCaller {
  return new ExperimentCaller(target, slug, { experimentId, experimentToken, expiresAtMs: 0 });
}
