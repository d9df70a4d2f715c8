import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { answerOf } from "../backup/recorded.ts";
import { type ExperimentCaller, OrganizationCaller, targetOf } from "../contract/callers.ts";
import { signIn } from "../contract/people.ts";
import {
  askTrash,
  entriesOf,
  trashed,
  trashList,
  untilGone,
} from "../contract/trash-v1/trash-calls.ts";
import { sharedPostgres } from "../postgres.ts";
import { connectionsEnd, countOf, rowsOf } from "../postgres-rows.ts";
import { organizations, Service } from "../service.ts";
import { makeWorkers } from "../workers.ts";

const { key } = organizations.acme;

test("a series that is restored is counted once its worker has it back", async () => {
  const { databaseUrl, worker, service, acme, ...all } = await started();
  await using _all = all;
  const target = targetOf(service);
  const [older, newer] = [await recorded(acme, "older"), await recorded(acme, "newer")];
  while ((await countOf(databaseUrl, "sum(folded_points)", "summarized")) < 16) await sleep(100);
  const [entry] = await deletedSeries(service, newer, "loss");
  const held = await holdErrands(worker, newer);
  const restored = await askTrash(target, "restore", { body: { ids: [entry.id] } });
  assert.equal(restored.status, 503);
  // The newest are counted first.
  const { experimentId: id } = older;
  await rowsOf(databaseUrl, `UPDATE summarized SET counted = 0 WHERE experiment = '${id}'`);
  await untilCounted(databaseUrl, older);
  await held.end();
  await untilCounted(databaseUrl, newer);
  const summaries = await rowsOf(
    databaseUrl,
    `SELECT name FROM metric_summary JOIN metric_name ON metric_name.id = metric
     WHERE experiment = '${newer.experimentId}' ORDER BY name`,
  );
  assert.deepEqual(summaries, [{ name: "acc" }, { name: "loss" }]);
});

test("what is purged at once waits until its worker knows that it was deleted", async () => {
  const { databaseUrl, worker, service, acme, ...all } = await started();
  await using _all = all;
  const target = targetOf(service);
  const runs: ExperimentCaller[] = [];
  for (const slug of ["series", "whole", "other"]) runs.push(await recorded(acme, slug));
  const [series, whole, other] = runs;
  const held = [await holdErrands(worker, series), await holdErrands(worker, whole)];
  const deleting = [
    askTrash(target, "series", seriesBody(series, "loss")),
    askTrash(target, "experiments", { body: { experimentIds: [whole.experimentId] } }),
  ];
  for (const reply of deleting) assert.equal((await reply).status, 503);
  const owing = (await trashList(target)).map(({ id }) => id);
  assert.equal(owing.length, 2);
  await purge(service, ...owing);
  // Purges are looked at in their order.
  const [{ id }] = await trashed(target, other.experimentId);
  await purge(service, id);
  await untilGone(target, [id]);
  const left = (await trashList(target)).map((entry) => entry.id);
  assert.deepEqual(left.toSorted(), owing.toSorted());
  for (const one of held) await one.end();
  await untilGone(target, owing);
  assert.deepEqual(await rowsOf(worker, "SELECT experiment FROM head"), [
    { experiment: series.experimentId },
  ]);
  const dropped =
    "SELECT name, trash, CAST(points AS int), CAST(is_out AS int) FROM dropped_series";
  assert.deepEqual(await rowsOf(worker, dropped), [
    { name: "loss", trash: null, points: 4, is_out: 1 },
  ]);
  assert.equal(await countOf(databaseUrl, "count(*)", "errand"), 0);
});

for (const isTold of [true, false])
  test(`a directory that is put back ${isTold ? "and adjusted " : ""}finds its workers follow it`, async () => {
    const before = await started();
    const { worker, environment, flags } = before;
    await using _before = before;
    let acme = before.acme;
    const runs: ExperimentCaller[] = [];
    for (const slug of ["kept", "gone", "series"]) runs.push(await recorded(acme, slug));
    const [kept, gone, series] = runs;
    const target = targetOf(before.service);
    const [entry] = await trashed(target, gone.experimentId);
    await before.service.stop();
    await connectionsEnd(before.databaseUrl);
    const databaseUrl = await (await sharedPostgres()).createDatabase(before.databaseUrl);

    // Later than the copy everything is the other way round.
    await before.service.start();
    await entriesOf(askTrash(target, "restore", { body: { ids: [entry.id] } }));
    await trashed(target, kept.experimentId);
    await deletedSeries(before.service, series, "loss");
    await before.service.stop();

    await connectionsEnd(databaseUrl);
    if (isTold) await answerOf("restored", "--database-url", databaseUrl);
    await using service = await Service.start({ databaseUrl, environment, flags, people: true });
    acme = new OrganizationCaller(targetOf(service), key);
    const marks = `SELECT CAST(trashed AS int) AS trashed FROM head ORDER BY experiment`;
    const wanted = [{ trashed: 0 }, { trashed: 1 }, { trashed: 0 }];
    const isDone = async () =>
      JSON.stringify(await rowsOf(worker, marks)) === JSON.stringify(wanted) &&
      (await countOf(worker, "count(*)", "dropped_series")) === 0;
    while (!(await isDone())) await sleep(100);
    const again = await acme.open("kept");
    assert.equal(again.experimentId, kept.experimentId);
    await again.send(again.metric({ step: 9 }));
    assert.equal((await acme.series(kept.experimentId)).done.points, 9);
    assert.equal((await acme.series(series.experimentId)).done.points, 8);
    // New errands are done, and what was deleted before the copy comes back.
    const [deleted] = await deletedSeries(service, series, "loss");
    assert.equal((await acme.series(series.experimentId)).done.points, 4);
    await entriesOf(
      askTrash(targetOf(service), "restore", { body: { ids: [deleted.id, entry.id] } }),
    );
    assert.equal((await acme.series(series.experimentId)).done.points, 8);
    const back = await acme.open("gone");
    await back.send(back.metric({ step: 9 }));
    assert.equal((await acme.series(gone.experimentId)).done.points, 9);
  });

/** A service with a worker, which has all points. */
async function started() {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const workers = await makeWorkers(1);
  const { environment } = workers;
  const flags = ["--seal-idle-ms", "100"];
  const service = await Service.start({ databaseUrl, environment, flags, people: true });
  const acme = new OrganizationCaller(targetOf(service), key);
  return {
    databaseUrl,
    worker: workers.urls[0],
    environment,
    flags,
    service,
    acme,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await workers[Symbol.asyncDispose]();
    },
  };
}

/** A run with four points of each of two series. */
async function recorded(acme: OrganizationCaller, slug: string): Promise<ExperimentCaller> {
  const run = await acme.open(slug);
  const points = [0, 1, 2, 3].flatMap((step) =>
    ["loss", "acc"].map((metricName) => run.metric({ step, metricName })),
  );
  await run.send(...points);
  return run;
}

function seriesBody({ experimentId }: ExperimentCaller, name: string) {
  return { body: { experimentId, seriesNames: [name] } };
}

function deletedSeries(service: Service, run: ExperimentCaller, name: string) {
  return entriesOf(askTrash(targetOf(service), "series", seriesBody(run, name)));
}

async function purge(service: Service, ...ids: string[]): Promise<void> {
  const target = targetOf(service);
  const credential = await signIn(target, "ada");
  await entriesOf(askTrash(target, "purge", { body: { ids }, credential }));
}

async function untilCounted(databaseUrl: string, { experimentId }: ExperimentCaller) {
  const counted = `SELECT 1 FROM summarized WHERE counted = 1 AND experiment = '${experimentId}'`;
  while ((await rowsOf(databaseUrl, counted)).length === 0) await sleep(100);
}

/** From now on the worker fails as it ends whenever it is to do an errand of this run. */
async function holdErrands(worker: string, { experimentId }: ExperimentCaller) {
  const name = `held_${experimentId.replaceAll("-", "_")}`;
  await rowsOf(
    worker,
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'held' USING ERRCODE = 'admin_shutdown'; END $$;
     CREATE TRIGGER ${name} BEFORE UPDATE OF errand ON head FOR EACH ROW
       WHEN (NEW.experiment = '${experimentId}') EXECUTE FUNCTION ${name}()`,
  );
  return { end: () => rowsOf(worker, `DROP FUNCTION ${name} CASCADE`) };
}
