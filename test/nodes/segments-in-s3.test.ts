import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ExperimentCaller,
  OrganizationCaller,
  type RequestEvent,
  targetOf,
} from "../contract/callers.ts";
import { runVerify } from "../crash/verify-command.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";

const bucket = "b";
const batchPoints = 500;

function optionsOn(store: S3Double, databaseUrl: string, prefix = "segments"): ServiceOptions {
  const segments = `s3://${bucket}/${prefix}?endpoint=${store.endpoint}`;
  return {
    databaseUrl,
    flags: ["--segments", segments, "--seal-points", "1000", "--log-level", "silent"],
    environment: {
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    },
  };
}

function callerOf(node: Service): OrganizationCaller {
  return new OrganizationCaller(targetOf(node), organizations.acme.key);
}

/** Points have random identifiers, looked up in sealed runs and not only in intervals. */
function batchOf(experiment: ExperimentCaller, from: number): RequestEvent[] {
  return Array.from({ length: batchPoints }, (_, index) =>
    experiment.metric({ step: from + index, metricValue: Math.sin(from + index) }, randomUUID()),
  );
}

async function assertWhole(caller: OrganizationCaller, experimentId: string, points: number) {
  const { partitions } = await caller.series(experimentId);
  const steps = Array.from({ length: points }, (_, step) => step);
  assert.deepEqual(partitions[0].step, steps);
  assert.deepEqual(
    partitions[0].value,
    steps.map((step) => Math.sin(step)),
  );
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    assert.ok(tries < 12_000, what);
    await sleep(50);
  }
}

function sealedIn(store: S3Double): number {
  return [...store.objects(bucket).keys()].filter((key) => key.endsWith(".points")).length;
}

test("sealed points in an S3 bucket are read by every node, through an outage of the store too", async () => {
  await using store = await S3Double.start();
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const options = optionsOn(store, databaseUrl);
  await using first = await Service.start(options);
  await using second = await Service.start(options);
  const experiment = await callerOf(first).open("in-s3");
  const sent: RequestEvent[][] = [];
  const send = async () => {
    sent.push(batchOf(experiment, sent.length * batchPoints));
    await experiment.send(...sent.at(-1)!);
  };
  for (let count = 0; count < 6; count++) await send();
  await until("points are sealed", () => sealedIn(store) > 0);
  const elsewhere = callerOf(second);
  await assertWhole(elsewhere, experiment.experimentId, 3_000);

  store.faults.add({ fault: "slowDown" });
  await second.kill();
  await assert.rejects(second.start(), /ended with 6/);
  const lost = batchOf(experiment, 3_000);
  await experiment.post(lost);
  store.faults.clear();
  await second.start();
  sent.push(lost);
  // Whatever the outage answered, and what was acknowledged long before: nothing is stored twice.
  for (const batch of sent) await experiment.send(...batch);
  await assertWhole(callerOf(first), experiment.experimentId, 3_500);
  await assertWhole(elsewhere, experiment.experimentId, 3_500);
  const again = new ExperimentCaller(
    { baseUrl: second.baseUrl, observe: () => undefined },
    "in-s3",
    {
      experimentId: experiment.experimentId,
      experimentToken: experiment.token,
      expiresAtMs: experiment.expiresAtMs,
    },
  );
  for (const batch of sent) await again.send(...batch);
  await assertWhole(elsewhere, experiment.experimentId, 3_500);

  assert.equal(await first.stop(), 0);
  assert.equal(await second.stop(), 0);
  const verified = await runVerify(first);
  assert.equal(verified.code, 0, verified.output);
});

test("reads fail while the store does, and then are whole", async () => {
  await using store = await S3Double.start();
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using node = await Service.start(optionsOn(store, databaseUrl));
  const caller = callerOf(node);
  const experiment = await caller.open("outage");
  const { experimentId } = experiment;
  const ask = () =>
    caller.query("query.experimentseries", { experimentId, filter: [], xAxis: "step" });
  // A stop may come between storing an object and publishing it. Then all points are read from the
  // log, and the next ones are sealed.
  let points = 0;
  for (let tries = 1; ; tries++) {
    for (const end = points + 2_000; points < end; points += batchPoints)
      await experiment.send(...batchOf(experiment, points));
    await until("points are sealed", () => sealedIn(store) > 0);
    await sleep(500);
    await node.stop();
    // A copy on the local disk would do without the store; the cache may be emptied at any time.
    await rm(join(node.dataDirectory, "cache"), { recursive: true, force: true });
    await node.start();
    store.faults.add({ fault: "internalError" });
    const { text } = await ask();
    store.faults.clear();
    if (text.includes("code=storage_unavailable")) break;
    assert.ok(tries < 10, "no read needs the store");
  }
  await assertWhole(caller, experimentId, points);
});

test("a prefix belongs to one installation, and an installation to its prefix", async () => {
  await using store = await S3Double.start();
  const postgres = await sharedPostgres();
  const [mine, others] = [await postgres.createDatabase(), await postgres.createDatabase()];
  await using node = await Service.start(optionsOn(store, mine));
  await node.stop();
  const refusal = async (options: ServiceOptions, sentence: RegExp) => {
    const service = new Service(options);
    await using _ = service;
    await assert.rejects(service.start(), sentence);
    assert.equal(await service.exited, 2);
  };
  await refusal(optionsOn(store, others), /segments of another installation/);
  await refusal(optionsOn(store, mine, "elsewhere"), /does not have the segments/);
  await refusal({ databaseUrl: mine }, /are in s3:\/\/b\/segments: give --segments/);
  const { databaseUrl: _, ...embedded } = optionsOn(store, mine);
  await refusal(embedded, /needs --database-url/);
  assert.deepEqual([...store.objects(bucket).keys()], ["segments/OWNER"]);
});

test("what was sealed into the database before stays readable, and moves as it is merged", async () => {
  await using store = await S3Double.start();
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const { flags, ...options } = optionsOn(store, databaseUrl);
  await using before = await Service.start({ ...options, flags: flags!.slice(2) });
  const experiment = await callerOf(before).open("moved");
  for (let from = 0; from < 2_000; from += batchPoints)
    await experiment.send(...batchOf(experiment, from));
  await sleep(2_000);
  await before.stop();
  await using after = await Service.start({ ...options, flags: flags! });
  const later = new ExperimentCaller(
    { baseUrl: after.baseUrl, observe: () => undefined },
    "moved",
    {
      experimentId: experiment.experimentId,
      experimentToken: experiment.token,
      expiresAtMs: experiment.expiresAtMs,
    },
  );
  await assertWhole(callerOf(after), experiment.experimentId, 2_000);
  for (let from = 2_000; from < 4_000; from += batchPoints)
    await later.send(...batchOf(later, from));
  await until("points are sealed in S3", () => sealedIn(store) > 0);
  await assertWhole(callerOf(after), experiment.experimentId, 4_000);
});
