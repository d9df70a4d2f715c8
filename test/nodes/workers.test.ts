import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { ExperimentCaller, OrganizationCaller, repliesTo, targetOf } from "../contract/callers.ts";
import { trashed } from "../contract/trash-v1/trash-calls.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service } from "../service.ts";
import { makeWorkers } from "../workers.ts";

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

test("a worker that is away refuses its own experiments, and all others go on", async (t) => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const switches: Awaited<ReturnType<typeof startSwitch>>[] = [];
  const ports = await Promise.all(
    [0, 1].map(async () => {
      const one = await startSwitch(Number(new URL(databaseUrl).port));
      switches.push(one);
      t.after(() => one.end());
      return one.port;
    }),
  );
  await using workers = await makeWorkers(2, (url, at) => {
    const proxied = new URL(url);
    proxied.port = String(ports[at]);
    return proxied.href;
  });
  await using service = await Service.start({ databaseUrl, environment: workers.environment });
  const acme = new OrganizationCaller(targetOf(service), key);
  const runs = [await acme.open("a"), await acme.open("b")];
  const send = async (run: ExperimentCaller, step: number) => {
    const sent = [run.metric({ step })];
    const reply = await run.post(sent);
    return reply.status === 200 ? repliesTo(sent, reply)[0].event : String(reply.status);
  };
  for (const run of runs) assert.equal(await send(run, 0), recorded);
  switches[0].turnOff();
  const states = await Promise.all(runs.map((run) => send(run, 1)));
  assert.deepEqual(states.toSorted(), ["503", recorded]);
  // An annotation is the directory's, and needs no worker.
  const annotated = await Promise.all(
    runs.map((run) => run.tell("annotate", { annotation: "text", meta: {} })),
  );
  assert.equal(annotated.length, 2);
  switches[0].turnOn();
  for (const run of runs) while ((await send(run, 2)) !== recorded) await sleep(100);
});

/** The same run, at the caller's node. */
function runOn(
  { target }: OrganizationCaller,
  { experimentId, token: experimentToken, slug }: ExperimentCaller,
): ExperimentCaller {
  return new ExperimentCaller(target, slug, { experimentId, experimentToken, expiresAtMs: 0 });
}

async function countOf(url: string, expression: string, table: string): Promise<number> {
  const [row] = await rowsOf(
    url,
    `SELECT CAST(coalesce(${expression}, 0) AS int) AS n FROM ${table}`,
  );
  return (row as { n: number }).n;
}

async function rowsOf(url: string, statement: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(statement)).rows as unknown[];
  } finally {
    await client.end();
  }
}

/** Passes connections on to a server while it is on. */
async function startSwitch(serverPort: number) {
  let isOn = true;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    if (!isOn) return void socket.destroy();
    const upstream = connect(serverPort, "127.0.0.1");
    for (const one of [socket, upstream]) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => sockets.delete(one));
    }
    socket.pipe(upstream).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    turnOff() {
      isOn = false;
      cut();
    },
    turnOn: () => (isOn = true),
    end() {
      cut();
      server.close();
    },
  };
}
