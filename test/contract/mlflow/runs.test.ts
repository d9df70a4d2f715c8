import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { table, untilSummarized } from "../views-v1/table-calls.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

topic("runs of MLflow", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const rival = new MlflowCaller(system, organizations.rival.key);
  const history = async (runId: string, key: string, more: Record<string, string> = {}) =>
    caller.get("metrics/get-history", { run_id: runId, metric_key: key, ...more });
  const batch = (runId: string, more: JsonObject) =>
    caller.post("runs/log-batch", { run_id: runId, ...more });

  test("what a client records is read back, and v2 reads it too", async () => {
    const tags = [{ key: "mlflow.runName", value: "first" }];
    const runId = await caller.run("0", { user_id: "ada", start_time: 12, tags });
    const metric = (step: number, value: number) => ({
      key: "loss",
      value,
      timestamp: 100 + step,
      step,
    });
    await caller.post("runs/log-metric", { run_id: runId, ...metric(1, 0.5) });
    await batch(runId, {
      metrics: [metric(2, 0.25), metric(3, 0.125)],
      params: [{ key: "lr", value: "0.1" }],
      tags: [{ key: "t", value: "u" }],
    });
    await caller.post("runs/update", { run_id: runId, status: "FINISHED", end_time: 99 });
    const { info, data } = await caller.read(runId);
    assert.deepEqual(info, {
      run_id: runId,
      run_uuid: runId,
      run_name: "first",
      experiment_id: "0",
      user_id: "ada",
      status: "FINISHED",
      start_time: 12,
      end_time: 99,
      artifact_uri: `mlflow-artifacts:/0/${runId}/artifacts`,
      lifecycle_stage: "active",
    });
    assert.deepEqual(data.params, [{ key: "lr", value: "0.1" }]);
    assert.deepEqual(data.metrics, [metric(3, 0.125)]);
    assert.deepEqual(data.tags, [...tags, { key: "t", value: "u" }]);
    const record = await system.acme.record(runId);
    assert.deepEqual([record.slug, record.status, record.meta], [runId, "done", {}]);
    const { partitions } = await system.acme.oneSeries(runId, "loss");
    assert.deepEqual(
      partitions.flatMap(({ value }) => value),
      [0.5, 0.25, 0.125],
    );
  });

  test("words of MLflow stay as long as they fit the state", async () => {
    const runId = await caller.run();
    const update = (status: string) => caller.post("runs/update", { run_id: runId, status });
    const state = async () => [
      (await caller.read(runId)).info.status,
      (await system.acme.record(runId)).status,
    ];
    await update("KILLED");
    assert.deepEqual(await state(), ["KILLED", "error"]);
    await update("SCHEDULED");
    assert.deepEqual(await state(), ["SCHEDULED", "running"]);
    const native = await system.acme.open(runId);
    assert.equal(native.experimentId, runId);
    await native.ask("experiment.done", { experimentId: runId });
    assert.deepEqual(await state(), ["FINISHED", "done"]);
  });

  test("integers are integers however they are written, and mistakes are told as written", async () => {
    const runId = await caller.run();
    const send = (...steps: string[]) => {
      const rows = steps.map((step) => `{"key":"w","value":-0,"timestamp":1.0,"step":${step}}`);
      return caller.post("runs/log-batch", `{"run_id":"${runId}","metrics":[${rows.join()}]}`);
    };
    // Among such as need all of their digits, or alone, they are the same.
    const plain = ["1.0", "2e0", '"3"', "-0", "5.00000000000000000001"];
    await send(...plain);
    await send(...plain, "9007199254740993");
    const { metrics } = await history(runId, "w");
    assert.deepEqual(
      (metrics as JsonObject[]).map(({ step, value }) => [Number(step), value]),
      [0, 1, 2, 3, 5, 2 ** 53].map((step) => [step, 0]),
    );
    for (const step of ["1.5", "9223372036854775808", "1e400", '""', "true"])
      await assert.rejects(send("1", step), /'metrics\[1\]\.step'/, step);
  });

  test("values that no point of v2 can be are kept exactly, and counted among the latest", async () => {
    const runId = await caller.run();
    const send = (rows: string) =>
      caller.post("runs/log-batch", `{"run_id":"${runId}","metrics":[${rows}]}`);
    await send(
      '{"key":"a","value":1,"timestamp":1,"step":9223372036854775807},' +
        '{"key":"a","value":2,"timestamp":1,"step":-9223372036854775808},' +
        '{"key":"a","value":3,"timestamp":9223372036854775807,"step":5},' +
        '{"key":"n","value":"NaN","timestamp":1,"step":1},{"key":"n","value":1,"timestamp":1,"step":1},' +
        '{"key":"n","value":"Infinity","timestamp":1,"step":1},{"key":"é","value":0.5,"timestamp":1,"step":0}',
    );
    const exact = async (path: string, query: Record<string, string>) => {
      const search = new URLSearchParams(query).toString();
      return (await caller.request({ path: `/api/2.0/mlflow/${path}?${search}` })).text;
    };
    const run = { run_id: runId };
    assert.match(
      await exact("runs/get", run),
      /"value":1,"timestamp":1,"step":9223372036854775807/,
    );
    const all = await exact("metrics/get-history", { ...run, metric_key: "a" });
    assert.deepEqual(
      [...all.matchAll(/"step":(-?\d+)/g)].map(([, step]) => step),
      ["-9223372036854775808", "9223372036854775807", "5"],
    );
    const { metrics } = await history(runId, "n");
    assert.deepEqual(
      (metrics as JsonObject[]).map(({ value }) => value),
      ["NaN", 1, "Infinity"],
    );
    const { data } = await caller.read(runId);
    assert.deepEqual(
      data.metrics.map(({ key, value }) => [key, value]),
      [
        ["a", 1],
        ["n", "Infinity"],
        ["é", 0.5],
      ],
    );
    const notes = (await system.acme.ask("query.annotations", { experimentId: runId })) as {
      annotations: { meta: JsonObject }[];
    };
    const metas = notes.annotations.map(({ meta }) => meta);
    for (const meta of metas)
      assert.deepEqual(
        { ...meta, value: "" },
        { kind: "nonfinite", metricName: "n", step: 1, value: "", timestampMs: 1 },
      );
    assert.deepEqual(metas.map(({ value }) => value).toSorted(), ["Infinity", "NaN"]);
  });

  test("a repeated batch adds nothing, and values at one step and time are all kept", async () => {
    const runId = await caller.run();
    const metrics = [3, 1, 2].map((value) => ({ key: "m", value, timestamp: 5, step: 0 }));
    metrics.push({ key: "m", value: 0, timestamp: 5, step: 2 ** 53 });
    for (let time = 0; time < 3; time++) await batch(runId, { metrics });
    const { metrics: found } = await history(runId, "m");
    assert.deepEqual(
      (found as JsonObject[]).map(({ value }) => value),
      [1, 2, 3, 0],
    );
    assert.equal((await system.acme.record(runId)).points ?? 3, 3);
  });

  test("a value whose id somebody else used for another point is kept all the same", async () => {
    const runId = await caller.run();
    const bits = Buffer.alloc(8);
    bits.writeDoubleBE(0.5);
    const hash = createHash("sha256").update(bits).update("7 3 taken").digest("base64url");
    const native = await system.acme.open(runId);
    const other = { metricName: "taken", metricValue: 9, timestampMs: 1, step: 1, meta: {} };
    await native.send(native.metric(other, `mlflow-${hash.slice(0, 22)}`));
    const metrics = [0.25, 0.5].map((value) => ({ key: "taken", value, timestamp: 7, step: 3 }));
    for (let time = 0; time < 2; time++) await batch(runId, { metrics });
    const { metrics: found } = await history(runId, "taken");
    assert.deepEqual(found, [{ key: "taken", value: 9, timestamp: 1, step: 1 }, ...metrics]);
    assert.equal((await system.acme.series(runId)).done.points, 2);
  });

  test("a history comes by pages, whoever wrote the points", async () => {
    const runId = await caller.run();
    const metrics = Array.from({ length: 20 }, (_, at) => ({
      key: "m",
      value: at % 7 === 0 ? "NaN" : at % 4,
      timestamp: at >> 2,
      step: at >> 3,
    }));
    await batch(runId, { metrics });
    const native = await system.acme.open(runId);
    await native.send(
      ...[1, 3].map((timestampMs) =>
        native.metric({ metricName: "m", metricValue: -1, timestampMs, step: 0, meta: {} }),
      ),
    );
    const whole = (await history(runId, "m")).metrics as JsonObject[];
    assert.equal(whole.length, 22);
    for (const size of ["1", "3", "19"]) {
      const paged: JsonObject[] = [];
      for (let token: string | undefined = ""; token !== undefined;) {
        const page = await history(runId, "m", { max_results: size, page_token: token });
        paged.push(...((page.metrics ?? []) as JsonObject[]));
        token = page.next_page_token as string | undefined;
      }
      assert.deepEqual(paged, whole, `pages of ${size}`);
    }
    for (const more of [{ max_results: "0" }, { page_token: "nonsense" }]) {
      const search = new URLSearchParams({ run_id: runId, metric_key: "m", ...more }).toString();
      assert.equal((await caller.refusal(`metrics/get-history?${search}`))[0], 400);
    }
  });

  test("points of v2 count for the latest at their acknowledgement", async () => {
    const runId = await caller.run();
    await batch(runId, { metrics: [{ key: "m", value: 1, timestamp: 1, step: 1 }] });
    const native = await system.acme.open(runId);
    const later = { metricName: "m", metricValue: 2, timestampMs: 2, step: 2, meta: {} };
    await native.send(native.metric(later), native.metric({ ...later, metricName: "other" }));
    const latest = async () =>
      (await caller.read(runId)).data.metrics.map(({ key, value }) => [key, value]);
    assert.deepEqual(await latest(), [
      ["m", 2],
      ["other", 2],
    ]);
    await batch(runId, { metrics: [{ key: "m", value: 3, timestamp: 2, step: 2 }] });
    assert.deepEqual(await latest(), [
      ["m", 3],
      ["other", 2],
    ]);
    await untilSummarized(system, system.acme);
    assert.deepEqual(await latest(), [
      ["m", 3],
      ["other", 2],
    ]);
  });

  test("a batch is stored whole or not at all", async () => {
    const runId = await caller.run();
    await batch(runId, { params: [{ key: "p", value: "1" }] });
    const good = { key: "m", value: 1, timestamp: 1, step: 1 };
    const refused: JsonObject[] = [
      { params: [{ key: "p", value: "2" }] },
      {
        params: [
          { key: "q", value: "1" },
          { key: "q", value: "1" },
        ],
      },
      { params: [{ key: "long", value: "x".repeat(6_001) }] },
      { tags: [{ key: "a/../b", value: "1" }] },
      { tags: [{ key: "t", value: "x".repeat(8_001) }] },
      { metrics: [good, { ...good, timestamp: -1 }] },
      { metrics: [good, { ...good, key: "a@b" }] },
      { metrics: Array.from({ length: 1_001 }, () => good) },
    ];
    for (const more of refused) {
      const all = { run_id: runId, metrics: [good], tags: [{ key: "s", value: "1" }], ...more };
      const [status, code] = await caller.refusal("runs/log-batch", all);
      assert.deepEqual(
        [status, code],
        [400, "INVALID_PARAMETER_VALUE"],
        JSON.stringify(more).slice(0, 80),
      );
    }
    const { data } = await caller.read(runId);
    assert.deepEqual([data.metrics, data.params], [undefined, [{ key: "p", value: "1" }]]);
    assert.equal(
      data.tags.some(({ key }) => key === "s" || key === "t"),
      false,
    );
    const again = { run_id: runId, key: "p", value: "1" };
    await caller.post("runs/log-parameter", again);
    assert.equal(
      (await caller.refusal("runs/log-parameter", { ...again, value: "2" }))[2],
      `Changing param values is not allowed. Param with key='p' was already logged with value='1' for run ID='${runId}'. Attempted logging new value '2'.`,
    );
  });

  test("name and tag of a run are one, and a deleted run takes nothing", async () => {
    const runId = await caller.run("0", { run_name: "one" });
    await caller.post("runs/set-tag", { run_id: runId, key: "mlflow.runName", value: "two" });
    assert.equal((await caller.read(runId)).info.run_name, "two");
    await caller.post("runs/update", { run_id: runId, run_name: "three" });
    assert.deepEqual((await caller.read(runId)).data.tags, [
      { key: "mlflow.runName", value: "three" },
    ]);
    await caller.post("runs/delete", { run_id: runId });
    const tag = { run_id: runId, key: "k", value: "v" };
    assert.equal(
      (await caller.refusal("runs/set-tag", tag))[2],
      `The run ${runId} must be in the 'active' state. Current state is deleted.`,
    );
    assert.equal((await system.acme.record(runId)).status, "running");
    await caller.post("runs/restore", { run_id: runId });
    await caller.post("runs/set-tag", tag);
    await caller.post("runs/delete-tag", { run_id: runId, key: "k" });
    assert.equal((await caller.refusal("runs/delete-tag", { run_id: runId, key: "k" }))[0], 404);
  });

  test("a name stays when an update brings none, and when its tag is deleted", async () => {
    const experiment = await caller.experiment(uniqueName("names"));
    const runId = await caller.run(experiment, { run_name: "one" });
    const run = { run_id: runId };
    const nameAndTag = async () => {
      const { info, data } = await caller.read(runId);
      const tag = (data.tags ?? []).find(({ key }) => key === "mlflow.runName");
      return [info.run_name, tag?.value];
    };
    const found = (filter: string) => caller.found(experiment, { filter });
    const update = (more: JsonObject) =>
      caller.post("runs/update", { ...run, status: "FINISHED", end_time: 1_000, ...more });
    for (const more of [{}, { run_name: "" }]) {
      const { run_info: info } = await update(more);
      assert.equal((info as JsonObject).run_name, "one");
      assert.deepEqual(await nameAndTag(), ["one", "one"]);
    }
    await caller.post("runs/delete-tag", { ...run, key: "mlflow.runName" });
    assert.deepEqual(await nameAndTag(), ["one", undefined]);
    await update({});
    assert.deepEqual(await nameAndTag(), ["one", undefined]);
    assert.deepEqual(await found("run_name = 'one'"), ["one"]);
    assert.deepEqual(await found("tags.mlflow.runName = 'one'"), []);
    await update({ run_name: "two" });
    assert.deepEqual(await nameAndTag(), ["two", "two"]);
    const tags = [{ key: "mlflow.runName", value: "three" }];
    await caller.post("runs/log-batch", { ...run, tags });
    assert.deepEqual(await nameAndTag(), ["three", "three"]);
    assert.deepEqual(await found("tags.mlflow.runName = 'three'"), ["three"]);
  });

  test("params, tags and names stand in the table of experiments and its queries", async () => {
    const name = uniqueName("named");
    const runId = await caller.run("0", { run_name: name });
    await batch(runId, {
      params: [
        { key: "optimizer.lr", value: "1e-3" },
        { key: "opt", value: "adam" },
      ],
      tags: [{ key: "team", value: "vision" }],
    });
    await untilSummarized(system, system.acme);
    const { rows } = await table(system, system.acme, {
      query: `name = "${name}" meta.param.optimizer.lr < 0.01 meta.tag.team = vision`,
      columns: ["meta.param.opt", "meta.param.optimizer.lr"],
    });
    assert.deepEqual(
      rows.map((row) => [row.experimentId, row.name, row.values]),
      [[runId, name, ["adam", 0.001]]],
    );
  });

  test("an experiment of v2 reads as a run", async () => {
    const wide = "a😀".repeat(2_000);
    const meta = { lr: 0.1, deep: { list: [1, "a"] }, wide: `b${wide}` };
    const native = await system.acme.open(undefined, "what it is", meta);
    await native.send(native.metric({ metricName: "m", metricValue: 7, step: 3, meta: {} }));
    const { info, data } = await caller.read(native.experimentId);
    assert.deepEqual(
      [info.run_name, info.status, info.experiment_id],
      [native.slug, "RUNNING", "0"],
    );
    assert.deepEqual(data.params, [
      { key: "lr", value: "0.1" },
      { key: "deep.list", value: '[1,"a"]' },
      // 6,000 units would end with half a character.
      { key: "wide", value: `b${wide}`.slice(0, 5_999) },
    ]);
    assert.deepEqual(data.tags, [
      { key: "mlflow.runName", value: native.slug },
      { key: "mlflow.note.content", value: "what it is" },
    ]);
    assert.deepEqual(
      data.metrics.map(({ key, value }) => [key, value]),
      [["m", 7]],
    );
  });

  test("what an experiment of v2 says is searched by, and compared with what is written", async () => {
    const mark = uniqueName("native");
    const origin = {
      _source: { commit: "c0ffee" },
      _environment: { packages: { torch: "2.9.0" } },
    };
    const meta = { mark, deep: { lr: 0.5 }, ...origin };
    const native = await system.acme.open(undefined, `about ${mark}`, meta);
    const runId = native.experimentId;
    const filters: [string, boolean][] = [
      ["params.deep.lr = '0.5'", true],
      ["params.deep.lr = '0.25'", false],
      ["params.`deep.lr` IS NULL", false],
      [`tags.mlflow.note.content LIKE 'about %'`, true],
      [`tags.mlflow.runName = '${native.slug}'`, true],
      ["tags.mlflow.runName IS NULL", false],
      ["tags.mlflow.source.git.commit = 'c0ffee'", true],
      ["tags.mlflow.source.git.commit = 'decaf'", false],
      ["tags.mlflow.source.git.branch IS NULL", true],
      ["params.`_source.commit` IS NULL", true],
      ["tags.`mlflow.note.content` = 'nothing'", false],
    ];
    for (const [filter, isFound] of filters) {
      const found = await caller.found("0", { filter: `params.mark = '${mark}' AND ${filter}` });
      assert.deepEqual([filter, found], [filter, isFound ? [native.slug] : []]);
    }
    const param = { run_id: runId, key: "deep.lr", value: "0.5" };
    await caller.post("runs/log-parameter", param);
    assert.equal((await caller.refusal("runs/log-parameter", { ...param, value: "1" }))[0], 400);
    const note = { run_id: runId, key: "mlflow.note.content", value: "better" };
    await caller.post("runs/set-tag", note);
    const filter = `params.mark = '${mark}' AND tags.mlflow.note.content = 'better'`;
    assert.deepEqual(await caller.found("0", { filter }), [native.slug]);
    const { params, tags } = (await caller.read(runId)).data;
    assert.equal(params.length, 2);
    assert.equal(tags.find(({ key }) => key === "mlflow.source.git.commit")?.value, "c0ffee");
  });

  test("v2 reads what MLflow wrote beside an experiment", async () => {
    const runId = await caller.run("0", { run_name: "warm", user_id: "ada" });
    await caller.post("runs/log-batch", {
      run_id: runId,
      params: [{ key: "lr", value: "0.1" }],
      tags: [{ key: "team", value: "vision" }],
      metrics: [
        { key: "m", value: "NaN", timestamp: 1, step: 1 },
        { key: "m", value: 1, timestamp: 1, step: 2 },
      ],
    });
    const dataset = { name: "set", digest: "d", source_type: "local", source: "{}" };
    const tags = [{ key: "mlflow.data.context", value: "training" }];
    await caller.post("runs/log-inputs", { run_id: runId, datasets: [{ dataset, tags }] });
    const modelId = await caller.model("0", { name: "net", model_type: "cnn" });
    const goneId = await caller.model("0", { name: "gone" });
    await caller.ask("DELETE", `logged-models/${goneId}`);
    const step = "9007199254740993";
    const models = [{ model_id: modelId, step }, { model_id: goneId }, { model_id: "m-none" }];
    await caller.post("runs/outputs", { run_id: runId, models });
    await caller.post("runs/update", { run_id: runId, status: "KILLED", end_time: 2_000 });
    const asked = await system.acme.ask("query.attributes", { experimentSlug: runId });
    assert.deepEqual(asked, {
      experimentId: runId,
      name: "warm",
      beganAtMs: 1_000,
      endedAtMs: 2_000,
      run: {
        user: "ada",
        status: "KILLED",
        startTimeMs: 1_000,
        endTimeMs: 2_000,
        isDeleted: false,
      },
      params: [{ key: "lr", value: "0.1" }],
      tags: [
        { key: "mlflow.runName", value: "warm" },
        { key: "team", value: "vision" },
      ],
      datasets: [{ name: "set", digest: "d", sourceType: "local", source: "{}", tags }],
      models: [
        { modelId, step, name: "net", modelType: "cnn", status: "pending" },
        { modelId: goneId, step: "0", name: "gone", modelType: "", status: "deleted" },
        { modelId: "m-none", step: "0", name: null, modelType: null, status: null },
      ].map((model) => ({ ...model, direction: "output" })),
      irregularPoints: 1,
    });
    const native = await system.acme.open(undefined, "about", { a: { b: 1 } });
    const { name, params, run } = await system.acme.ask("query.attributes", {
      experimentId: native.experimentId,
    });
    assert.deepEqual([name, params, run], [native.slug, [{ key: "a.b", value: "1" }], null]);
  });

  test("another organization's runs are not there", async () => {
    const runId = await caller.run();
    const run = { run_id: runId };
    const calls: [string, JsonObject?][] = [
      [`runs/get?run_id=${runId}`],
      [`metrics/get-history?run_id=${runId}&metric_key=m`],
      ["runs/update", { ...run, status: "FINISHED" }],
      ["runs/delete", run],
      ["runs/restore", run],
      ["runs/log-metric", { ...run, key: "m", value: 1, timestamp: 1 }],
      ["runs/log-parameter", { ...run, key: "p", value: "1" }],
      ["runs/set-tag", { ...run, key: "t", value: "1" }],
      ["runs/delete-tag", { ...run, key: "mlflow.runName" }],
      ["runs/log-batch", { ...run, metrics: [{ key: "m", value: 1, timestamp: 1 }] }],
    ];
    for (const [path, body] of calls) {
      const [status, code] = await rival.refusal(path, body);
      assert.deepEqual([path, status, code], [path, 404, "RESOURCE_DOES_NOT_EXIST"]);
    }
    const { info, data } = await caller.read(runId);
    assert.deepEqual([info.status, data.metrics, data.params], ["RUNNING", undefined, undefined]);
  });
});
