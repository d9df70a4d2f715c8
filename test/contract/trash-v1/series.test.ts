import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply, TrashEntry } from "@lossless/protocol";
import { type JsonObject, ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { eventError, observed, uniqueName, type ExperimentCaller } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { table, untilSummarized } from "../views-v1/table-calls.ts";
import { askTrash, entriesOf, trashed, trashList, untilGone } from "./trash-calls.ts";

topic("series in the trash", (system) => {
  const { key } = organizations.acme;

  test("one that is deleted is in no read, the others are as they were, and it comes back whole", async () => {
    const { acme } = system;
    const mark = uniqueName("mark");
    const experiment = await acme.open(uniqueName("run"), "", { mark });
    const { experimentId, slug } = experiment;
    await recordSeries(experiment);
    const mlflow = new MlflowCaller(system, key);
    const metrics = [
      { key: "loss", value: "NaN", timestamp: 9, step: 9 },
      { key: "loss", value: 3, timestamp: 10, step: 10 },
      { key: "acc", value: 4, timestamp: 10, step: 10 },
    ];
    await mlflow.post("runs/log-batch", { run_id: experimentId, metrics });
    await untilSummarized(system, acme);
    const before = await everything(system, mlflow, experimentId, mark);
    assert.deepEqual(before.latest, ["acc", "loss", "loss{gpu=0}", "loss{gpu=1}"]);
    assert.deepEqual(before.values, [7, 1]);
    assert.equal(before.history.length, 4);
    const [entry] = await deleted(system, experimentId, "loss");
    assert.deepEqual(
      [entry.kind, entry.subject, entry.name, entry.series, entry.points, entry.version],
      ["series", experimentId, slug, "loss", 5, null],
    );
    assert.deepEqual(await deleted(system, experimentId, "loss"), [entry], "again is nothing more");
    const without = await everything(system, mlflow, experimentId, mark);
    assert.deepEqual(
      without.points,
      before.points.filter(({ seriesName }) => seriesName === "acc"),
    );
    assert.deepEqual(without.catalog, [{ seriesName: "acc", metadata: {} }]);
    assert.deepEqual(without.latest, ["acc"]);
    assert.deepEqual([without.history, without.values], [[], [null, 1]]);
    // The beginning of an experiment is that of its other series.
    assert.ok(before.elapsed > 0);
    assert.equal(without.elapsed, 0);
    await entriesOf(askTrash(system, "restore", { body: { ids: [entry.id] } }));
    // The values that the table sorts by are counted again, and follow later.
    const after = await everything(system, mlflow, experimentId, mark);
    assert.deepEqual({ ...after, values: before.values }, before);
  });

  test("in the trash it takes nothing, knows what it had, and lets the other series be", async () => {
    const { acme } = system;
    const experiment = await acme.open();
    const { experimentId } = experiment;
    const old = [experiment.metric({}, "any id"), experiment.metric({ step: 1 }, "count-1")];
    await experiment.send(...old, experiment.metric({ metricName: "acc" }));
    const [{ id }] = await deleted(system, experimentId, "loss");
    const late = experiment.metric({ step: 2 }, "count-2");
    const replies = await experiment.send(
      ...old,
      late,
      experiment.metric({ step: 3, meta: { gpu: "0" } }),
      experiment.metric({ metricName: "acc", step: 1 }),
    );
    assert.deepEqual(
      replies.slice(0, 2).map(({ data }) => data.deduplicated),
      [true, true],
    );
    for (const refused of [replies[2], replies[3]]) {
      const { code, status, retryable } = eventError(refused);
      assert.deepEqual([code, status, retryable], ["series_deleted", 409, false]);
    }
    assert.equal(replies[4].data.deduplicated, false);
    const [conflict] = await experiment.send(experiment.metric({ step: 5 }, "count-1"));
    assert.equal(eventError(conflict).code, "message_id_conflict");
    const mlflow = new MlflowCaller(system, key);
    for (const value of [1, "NaN"]) {
      const metric = { run_id: experimentId, key: "loss", value, timestamp: 1, step: 1 };
      const [status, code] = await mlflow.refusal("runs/log-metric", metric);
      assert.deepEqual([status, code], [404, "RESOURCE_DOES_NOT_EXIST"]);
    }
    await entriesOf(askTrash(system, "restore", { body: { ids: [id] } }));
    const [stored] = await experiment.send(late);
    assert.equal(stored.data.deduplicated, false);
    assert.equal((await acme.oneSeries(experimentId, "loss")).done.points, 3);
  });

  test("what is purged leaves nothing, is recorded anew, and no identifier is stored twice", async () => {
    const { acme } = system;
    const experiment = await acme.open();
    const { experimentId } = experiment;
    const old = Array.from({ length: 40 }, (_, step) =>
      experiment.metric({ step }, `count-${step}`),
    );
    old.push(experiment.metric({ step: 40 }, "any id"));
    const other = Array.from({ length: 9 }, (_, step) => {
      return experiment.metric({ step, metricName: "acc", metricValue: step });
    });
    await experiment.send(...old, ...other);
    const before = await seriesRevision(system, experimentId, "loss");
    const [{ id }] = await deleted(system, experimentId, "loss");
    await purge(system, id);
    assert.equal((await acme.series(experimentId)).done.points, 9);
    const again = await experiment.send(...old);
    assert.ok(again.every(({ data }) => data.deduplicated === true));
    assert.equal((await acme.series(experimentId)).done.points, 9);
    const [taken, conflict] = await experiment.send(
      experiment.metric({ step: 7, metricValue: 7 }, "new"),
      experiment.metric({ step: 8, metricValue: 7 }, "any id"),
    );
    assert.equal(taken.data.deduplicated, false);
    assert.equal(eventError(conflict).code, "message_id_conflict");
    assert.ok((await seriesRevision(system, experimentId, "loss")) > before);
    const { partitions } = await acme.oneSeries(experimentId, "loss");
    assert.deepEqual(
      partitions.map(({ step, value }) => [step, value]),
      [[[7], [7]]],
    );
    // Deleted and restored once more, what it had before does not come back with it.
    const [second] = await deleted(system, experimentId, "loss");
    await entriesOf(askTrash(system, "restore", { body: { ids: [second.id] } }));
    assert.equal((await acme.series(experimentId)).done.points, 10);
    const [third] = await deleted(system, experimentId, "loss");
    await purge(system, third.id);
    assert.equal((await acme.series(experimentId)).done.points, 9);
    const [known] = await experiment.send(experiment.metric({ step: 7, metricValue: 7 }, "new"));
    assert.equal(known.data.deduplicated, true);
  });

  test("several that are purged at once are, and what came by v2 afterwards is in MLflow's metrics", async () => {
    const { acme } = system;
    const mlflow = new MlflowCaller(system, key);
    const run = await mlflow.run();
    const metrics = ["several_a", "several_b", "several_c"].flatMap((metric) =>
      [1, 2].map((step) => ({ key: metric, value: step, timestamp: step, step })),
    );
    await mlflow.post("runs/log-batch", { run_id: run, metrics });
    await untilSummarized(system, acme);
    const entries = [
      ...(await deleted(system, run, "several_a")),
      ...(await deleted(system, run, "several_b")),
    ];
    const found = await mlflow.post("runs/search", {
      experiment_ids: ["0"],
      filter: "metrics.several_a > 0",
    });
    assert.deepEqual(found.runs ?? [], [], "what is in the trash is in no search");
    await purge(system, ...entries.map(({ id }) => id));
    const experiment = await acme.open(run);
    const native = [1, 2, 3, 4].map((step) => experiment.metric({ metricName: "native", step }));
    await experiment.send(...native);
    await untilSummarized(system, acme);
    assert.deepEqual(await metricsOf(mlflow, run), ["native", "several_c"]);
  });

  test("an experiment in the trash keeps its deleted series, and takes them along", async () => {
    const { acme } = system;
    const experiment = await acme.open();
    const { experimentId } = experiment;
    await recordSeries(experiment);
    const entries = await deleted(system, experimentId, "acc", "loss");
    const [loss] = entries.filter(({ series }) => series === "loss");
    const [whole] = await trashed(system, experimentId);
    const body = { ids: [loss.id] };
    await refusedV1(askTrash(system, "restore", { body }), 409, "conflict");
    await entriesOf(askTrash(system, "restore", { body: { ids: [whole.id] } }));
    assert.equal((await acme.series(experimentId)).done.points, 0);
    await entriesOf(askTrash(system, "restore", { body }));
    assert.equal((await acme.series(experimentId)).done.points, 4);
    const [again] = await trashed(system, experimentId);
    await purge(system, again.id);
    const left = (await trashList(system)).filter(({ subject }) => subject === experimentId);
    assert.deepEqual(left, []);
  });

  test("what is not there is refused before anything is deleted, also in other organizations", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    await experiment.send(experiment.metric());
    const body = { experimentId, seriesNames: ["loss", "never"] };
    await refusedV1(askTrash(system, "series", { body }), 404, "not_found");
    const own = { body: { experimentId, seriesNames: ["loss"] } };
    const foreign = { ...own, credential: organizations.rival.key };
    await refusedV1(askTrash(system, "series", foreign), 404, "not_found");
    assert.equal((await system.acme.series(experimentId)).done.points, 1);
    await trashed(system, experimentId);
    await refusedV1(askTrash(system, "series", own), 404, "not_found");
  });
});

function deleted(system: System, experimentId: string, ...names: string[]): Promise<TrashEntry[]> {
  return entriesOf(askTrash(system, "series", { body: { experimentId, seriesNames: names } }));
}

async function purge(system: System, ...ids: string[]): Promise<void> {
  const credential = await signIn(system, "ada");
  await entriesOf(askTrash(system, "purge", { body: { ids }, credential }));
  await untilGone(system, ids);
}

async function recordSeries(experiment: ExperimentCaller): Promise<void> {
  const at = (step: number) => ({ step, timestampMs: 5 + step });
  await experiment.send(
    experiment.metric({ ...at(0), timestampMs: 0, meta: { gpu: "0" }, metricValue: 5 }),
    experiment.metric({ ...at(1), meta: { gpu: "1" }, metricValue: 6 }),
    experiment.metric({ ...at(2), metricValue: 7 }),
    experiment.metric({ ...at(3), metricValue: 2 }),
    experiment.metric({ ...at(0), metricName: "acc", metricValue: 1 }),
  );
}

async function seriesRevision(system: System, experimentId: string, name: string): Promise<number> {
  const asked = { experimentIds: [experimentId] };
  const { experiments } = await system.acme.ask("query.revisions", asked);
  const [{ series }] = experiments as { series: { seriesName: string; revision: number }[] }[];
  return series.find(({ seriesName }) => seriesName === name)!.revision;
}

/** All reads of an experiment with a series acc, and of its series loss. */
async function everything(
  system: System,
  mlflow: MlflowCaller,
  experimentId: string,
  mark: string,
) {
  const { acme } = system;
  const { series } = await acme.ask("query.catalog", { experimentId });
  const asked = { experimentIds: [experimentId] };
  const { experiments } = await acme.ask("query.revisions", asked);
  const { metrics = [] } = await mlflow.get("metrics/get-history", {
    run_id: experimentId,
    metric_key: "loss",
  });
  const columns = ["metric.loss.max", "metric.acc.min"];
  const { rows } = await table(system, acme, { query: `meta.mark = "${mark}"`, columns });
  return {
    catalog: series,
    revisions: (experiments as { series: JsonObject[] }[])[0].series,
    points: (await acme.series(experimentId)).partitions,
    named: (await acme.oneSeries(experimentId, "loss")).partitions,
    latest: await metricsOf(mlflow, experimentId),
    history: metrics as JsonObject[],
    values: rows[0].values,
    elapsed: await startOfAcc(system, experimentId),
  };
}

async function metricsOf(mlflow: MlflowCaller, runId: string): Promise<string[]> {
  return (await mlflow.read(runId)).data["metrics"].map(({ key }) => String(key)).sort();
}

/** Where acc begins, in milliseconds since the experiment's first point. */
async function startOfAcc(system: System, experimentId: string): Promise<number> {
  const body = {
    series: [{ experimentId, seriesName: "acc" }],
    xAxis: "elapsed",
    columns: 10,
  };
  const path = "/api/views/v1/overview";
  const reply = await observed(system, { path, credential: organizations.acme.key, body });
  const { series } = ok<OverviewReply>(reply);
  return series[0].exact!.x[0];
}
