import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewBody } from "@lossless/protocol";
import type { JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { type ExperimentCaller, observed, uniqueName } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { topic } from "../topic.ts";
import { askTrash, entriesOf } from "../trash-v1/trash-calls.ts";
import { overview } from "./overview-calls.ts";
import { post, table, untilSummarized } from "./table-calls.ts";

topic("values that are not finite", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const last = ["metric.loss", "metric.loss.laststep", "metric.loss.nonfinite"];
  const cells = async (query: string, columns = last) => {
    await untilSummarized(system, system.acme);
    const { rows } = await table(system, system.acme, { query, columns });
    return Object.fromEntries(rows.map(({ slug, values }) => [slug.split("/").at(-1), values]));
  };
  const open = async (project: string, name: string, values: readonly number[]) => {
    const experiment = await system.acme.open(`${project}/${name}`);
    for (const [step, value] of values.entries()) await record(experiment, value, step);
    return experiment;
  };

  test("the last value of a run that diverged is not the one before, in any door", async () => {
    const project = uniqueName("diverged");
    const runs = {
      good: [3, 2, 1.5],
      diverged: [3, 1, NaN],
      exploded: [3, 2, Infinity],
      sunk: [3, 2, -Infinity],
      back: [3, NaN, 2.5],
      never: [NaN, NaN],
      other: [],
    };
    const opened = new Map<string, ExperimentCaller>();
    for (const [name, values] of Object.entries(runs))
      opened.set(name, await open(project, name, values));
    const query = `slug ~ ${project}/*`;
    assert.deepEqual(await cells(query), {
      good: [1.5, 2, 0],
      diverged: ["NaN", 2, 1],
      exploded: ["Infinity", 2, 1],
      sunk: ["-Infinity", 2, 1],
      back: [2.5, 2, 1],
      never: ["NaN", 1, 2],
      other: [null, null, null],
    });
    const order = async (descending: boolean) => {
      const sort = [{ field: "metric.loss", descending }];
      const { rows } = await table(system, system.acme, { query, sort });
      return rows.map(({ slug }) => slug.slice(project.length + 1));
    };
    const ends = ["diverged", "never", "other"];
    assert.deepEqual(await order(false), ["good", "back", "sunk", "exploded", ...ends]);
    assert.deepEqual(await order(true), ["back", "good", "exploded", "sunk", ...ends]);
    const best = ["metric.loss.min", "metric.loss.mean", "metric.loss.count"];
    const bests = await cells(query, best);
    assert.deepEqual(
      [bests["diverged"], bests["never"], bests["other"]],
      [
        [1, 2, 2],
        [null, null, 0],
        [null, null, null],
      ],
    );
    const { rows } = await table(system, system.acme, { query, columns: best });
    const told = rows.filter(({ nonfinite }) => nonfinite !== undefined);
    assert.deepEqual(
      told.map(({ slug, nonfinite }) => [slug.split("/").at(-1), nonfinite]).toSorted(),
      [
        ["back", [1, 1, 1]],
        ["diverged", [1, 1, 1]],
        ["exploded", [1, 1, 1]],
        ["never", [2, 2, 2]],
        ["sunk", [1, 1, 1]],
      ],
    );
    const tests: [string, string[]][] = [
      ["metric.loss < 3", ["back", "good", "sunk"]],
      ["metric.loss > 3", ["exploded"]],
      ["metric.loss = nan", ["diverged", "never"]],
      ["metric.loss != 1.5", ["back", "diverged", "exploded", "never", "sunk"]],
      ["metric.loss in (inf, -inf)", ["exploded", "sunk"]],
      ["metric.loss.nonfinite = 0", ["good"]],
      ["metric.loss", ["back", "diverged", "exploded", "good", "never", "sunk"]],
      ["metric.loss.min", ["back", "diverged", "exploded", "good", "sunk"]],
    ];
    for (const [condition, found] of tests) {
      const reply = await table(system, system.acme, { query: `${query} ${condition}` });
      const names = reply.rows.map(({ slug }) => slug.slice(project.length + 1)).toSorted();
      assert.deepEqual(names, found, condition);
    }
    const ids = ["diverged", "never", "good"].map((name) => opened.get(name)!.experimentId);
    const body = { experimentIds: ids };
    const reply = await post(system, "difference", system.acme.credential, body);
    const { metrics } = JSON.parse(reply.text) as { metrics: { summaries: JsonObject[] }[] };
    assert.deepEqual(
      metrics[0].summaries.map(({ last: value, lastStep, nonfinite, min }) => {
        return [value, lastStep, nonfinite, min];
      }),
      [
        ["NaN", 2, 1, 1],
        ["NaN", 1, 2, null],
        [1.5, 2, undefined, 1.5],
      ],
    );
    const csv = await observed(system, {
      path: `/api/views/v1/experiments.csv?query=${encodeURIComponent(`${query} metric.loss`)}&sort=slug&columns=metric.loss`,
      credential: system.acme.credential,
    });
    const words = csv.text.trim().split("\r\n").slice(1);
    assert.deepEqual(
      words.map((line) => line.split(",").at(-1)),
      ["2.5", "NaN", "Infinity", "1.5", "NaN", "-Infinity"],
    );
    for (const [name, values] of Object.entries(runs)) {
      const { data } = await caller.read(opened.get(name)!.experimentId);
      const latest = (data["metrics"] ?? []).map(({ value }) => value);
      assert.deepEqual(latest, values.slice(-1).map(wordOf), name);
      if (values.length === 0) continue;
      const asked = { run_id: opened.get(name)!.experimentId, metric_key: "loss" };
      const { metrics: history } = await caller.get("metrics/get-history", asked);
      assert.deepEqual(
        (history as JsonObject[]).map(({ step, value }) => [step, value]),
        values.map((value, step) => [step, wordOf(value)]),
      );
      for (const [path, name] of [
        ["get-history-bulk", "run_id"],
        ["get-history-bulk-interval", "run_ids"],
      ]) {
        const wanted = { [name]: asked.run_id, metric_key: "loss" };
        const { metrics: listed } = await caller.get(`metrics/${path}`, wanted);
        assert.deepEqual(
          (listed as JsonObject[]).map(({ value }) => value),
          values.map(wordOf),
        );
      }
    }
    const found = await caller.found("0", { order_by: ["metrics.loss ASC"] });
    const ordered = found.filter((slug) => slug.startsWith(`${project}/`));
    assert.deepEqual(
      ordered
        .slice(3)
        .map((slug) => slug.slice(project.length + 1))
        .toSorted()
        .slice(0, 4),
      ["diverged", "exploded", "never", "other"],
    );
  });

  test("a drawn line says what it ended in where that is no point", async () => {
    const experiment = await open(uniqueName("drawn"), "run", []);
    const { experimentId } = experiment;
    const point = (step: number, timestampMs: number, series = "loss", meta = {}) =>
      experiment.metric({ metricName: series, step, timestampMs, metricValue: step, meta });
    await experiment.send(
      ...[10, 11, 12].map((step) => point(step, step * 100)),
      point(14, 1_400, "loss", { rank: "1" }),
      ...[10, 11, 12].map((step) => point(step, step * 100, "epoch")),
    );
    await annotate(experiment, { step: 13, timestampMs: 1_250, value: "NaN" });
    const rank = { pointMeta: { rank: "1" } };
    await annotate(experiment, { ...rank, step: 14, timestampMs: 1_399, value: "Infinity" });
    const asked = async (body: Partial<OverviewBody>) => {
      const series = [{ experimentId, seriesName: "loss" }];
      const whole: OverviewBody = { series, columns: 100, xAxis: "step", ...body };
      const reply = await overview(system, system.acme, whole);
      // That of the rank comes first.
      return reply.series.toReversed().map(({ lastNonfinite = null }) => lastNonfinite);
    };
    assert.deepEqual(await asked({}), [{ value: "NaN", x: 13 }, null]);
    assert.deepEqual(await asked({ xAxis: "offset" }), [{ value: "NaN", x: 3 }, null]);
    assert.deepEqual(await asked({ xAxis: "timestamp" }), [{ value: "NaN", x: 1_250 }, null]);
    assert.deepEqual(await asked({ xAxis: "elapsed" }), [{ value: "NaN", x: 250 }, null]);
    const along: Partial<OverviewBody> = { xAxis: "metric", xSeriesName: "epoch" };
    assert.deepEqual(await asked(along), [{ value: "NaN" }, null]);
    assert.deepEqual(await asked({ start: 0, end: 13 }), [null, null], "it lies behind the range");
    assert.deepEqual(await asked({ start: 11, end: 14 }), [{ value: "NaN", x: 13 }, null]);
    await annotate(experiment, { ...rank, step: 14, timestampMs: 1_400, value: "-Infinity" });
    assert.deepEqual((await asked({}))[1], { value: "-Infinity", x: 14 }, "of equal ones the note");
    await experiment.send(point(13, 1_251), point(14, 1_401, "loss", { rank: "1" }));
    assert.deepEqual(await asked({}), [null, null], "points behind them");
  });

  test("a range behind which values that are not finite may lie says so", async () => {
    const experiment = await open(uniqueName("zoomed"), "run", [1, NaN, 3, 4, NaN]);
    const { experimentId } = experiment;
    await experiment.send(
      ...[0, 2, 3].map((step) => experiment.metric({ metricName: "epoch", step })),
    );
    const ends = async (body: Partial<OverviewBody>) => {
      const series = [{ experimentId, seriesName: "loss" }];
      const whole: OverviewBody = { series, columns: 100, xAxis: "step", ...body };
      const [{ lastNonfinite, mayEndNonfinite }] = (await overview(system, system.acme, whole))
        .series;
      return lastNonfinite?.value ?? mayEndNonfinite;
    };
    assert.equal(await ends({}), "NaN");
    assert.equal(await ends({ start: 0, end: 2 }), true, "step 1 is the earlier one");
    assert.equal(await ends({ start: 2, end: 5 }), "NaN");
    const along: Partial<OverviewBody> = { xAxis: "metric", xSeriesName: "epoch" };
    assert.equal(await ends(along), "NaN");
    assert.equal(await ends({ ...along, start: 0, end: 2 }), true);
    await experiment.send(experiment.metric({ step: 9 }));
    assert.equal(await ends({}), undefined);
    assert.equal(await ends({ start: 5, end: 20 }), undefined, "all of them are before");
  });

  test("what MLflow's clients log is the same in the table", async () => {
    const runId = await caller.run();
    for (const [step, value] of ["1", "NaN", "2", "Infinity"].entries())
      await caller.post("runs/log-metric", {
        run_id: runId,
        key: "loss",
        value,
        timestamp: 5,
        step,
      });
    const [row] = Object.values(await cells(`id = ${runId}`));
    assert.deepEqual(row, ["Infinity", 3, 2]);
    const { metrics } = await caller.get("metrics/get-history", {
      run_id: runId,
      metric_key: "loss",
    });
    assert.equal((metrics as JsonObject[]).length, 4, "none is there twice");
  });

  test("partitions have their own, and what was only counted counts", async () => {
    const project = uniqueName("ranks");
    const experiment = await open(project, "ranks", []);
    await experiment.send(
      experiment.metric({ step: 4, metricValue: 4, meta: { rank: "0" } }),
      experiment.metric({ step: 4, metricValue: 5, meta: { rank: "1" } }),
    );
    await annotate(experiment, { step: 5, value: "NaN", pointMeta: { rank: "1" } });
    await annotate(experiment, { step: 3, value: "Infinity", pointMeta: { rank: "0" } });
    const counted = { step: 5, value: "Infinity", lastStep: 6, lastValue: "NaN", count: 20 };
    await annotate(experiment, { ...counted, pointMeta: { rank: "1" } });
    // None of these says anything.
    await annotate(experiment, { step: "7", value: "NaN" });
    await annotate(experiment, { step: 7, value: "nan?" });
    await annotate(experiment, { step: 7, value: "NaN", pointMeta: { rank: 1 } });
    await annotate(experiment, { kind: "text", step: 7, value: "NaN" });
    const own = ["metric.loss{rank=0}", "metric.loss{rank=1}", "metric.loss{rank=0}.nonfinite"];
    const [row] = Object.values(await cells(`slug ~ ${project}/*`, [...last, ...own]));
    assert.deepEqual(row, ["NaN", 6, 22, 4, "NaN", 1]);
  });

  test("a deleted series takes them along, and brings them back", async () => {
    const project = uniqueName("deleted");
    const experiment = await open(project, "run", [2, NaN]);
    const { experimentId } = experiment;
    assert.deepEqual(await cells(`id = ${experimentId}`), { run: ["NaN", 1, 1] });
    const body = { experimentId, seriesNames: ["loss"] };
    const [entry] = await entriesOf(askTrash(system, "series", { body }));
    assert.deepEqual(await cells(`id = ${experimentId}`), { run: [null, null, null] });
    assert.deepEqual((await caller.read(experimentId)).data["metrics"] ?? [], []);
    await entriesOf(askTrash(system, "restore", { body: { ids: [entry.id] } }));
    assert.deepEqual(await cells(`id = ${experimentId}`), { run: ["NaN", 1, 1] });
  });

  test("a mean lies within its values, however large their sum", async () => {
    const project = uniqueName("huge");
    const most = Number.MAX_VALUE;
    await open(project, "most", [most, most, most]);
    await open(project, "both", [1.5e308, 1.5e308, -1.5e308, -1.5e308]);
    await open(project, "half", [1.6e308, 0.8e308]);
    const means = await cells(`slug ~ ${project}/*`, ["metric.loss.mean"]);
    assert.deepEqual(means, { most: [most], both: [0], half: [1.2e308] });
  });
});

function record(experiment: ExperimentCaller, value: number, step: number): Promise<unknown> {
  if (!Number.isFinite(value)) return annotate(experiment, { step, value: String(value) });
  return experiment.send(experiment.metric({ step, metricValue: value, timestampMs: step }));
}

function annotate(experiment: ExperimentCaller, note: JsonObject): Promise<unknown> {
  const meta = { kind: "nonfinite", metricName: "loss", timestampMs: note.step, ...note };
  return experiment.send(experiment.event("annotate", { annotation: "not finite", meta }));
}

function wordOf(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
