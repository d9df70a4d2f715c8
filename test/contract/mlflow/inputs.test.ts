import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

topic("inputs and outputs of MLflow's runs", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const rival = new MlflowCaller(system, organizations.rival.key);
  const dataset = (name: string, more: JsonObject = {}): JsonObject => ({
    name,
    digest: "d1",
    source_type: "local",
    source: "{}",
    ...more,
  });
  const used = (context: string) => [{ key: "mlflow.data.context", value: context }];
  const read = async (runId: string) => {
    const { run } = await caller.get("runs/get", { run_id: runId });
    return run as unknown as { inputs: JsonObject; outputs: JsonObject };
  };
  const modelIds = (models: unknown) =>
    (models as JsonObject[]).map(({ model_id: id, step }) => [id, step]);

  test("data sets and models are read back with the run, each once, as they were named first", async () => {
    const experimentId = await caller.experiment(uniqueName("inputs"));
    const runId = await caller.run(experimentId);
    const first = {
      tags: [...used("train"), { key: "b", value: "" }],
      dataset: dataset("iris", { schema: "{s}", profile: "{p}" }),
    };
    const second = { tags: [], dataset: dataset("wine") };
    const inputs = { run_id: runId, datasets: [first, second, { dataset: dataset("wine") }] };
    for (let time = 0; time < 2; time++) await caller.post("runs/log-inputs", inputs);
    const other = { tags: used("test"), dataset: dataset("iris", { source: "other" }) };
    await caller.post("runs/log-inputs", { run_id: runId, datasets: [other] });
    const expected = [first, { dataset: second.dataset }];
    assert.deepEqual((await read(runId)).inputs, { dataset_inputs: expected });

    const sibling = await caller.run(experimentId);
    await caller.post("runs/log-inputs", { run_id: sibling, datasets: [other] });
    const [shared] = (await read(sibling)).inputs.dataset_inputs as JsonObject[];
    assert.deepEqual(shared, { tags: used("test"), dataset: first.dataset });
    const elsewhere = await caller.run();
    await caller.post("runs/log-inputs", { run_id: elsewhere, datasets: [other] });
    const [own] = (await read(elsewhere)).inputs.dataset_inputs as JsonObject[];
    assert.deepEqual(own, other);

    const models = [await caller.model(experimentId), "m-of-nobody", await caller.model()];
    const output = (model: string, step: number) => ({ model_id: model, step });
    for (const step of [3, 4]) {
      const made = [output(models[2], step), output(models[0], 0)];
      await caller.post("runs/outputs", { run_id: runId, models: made });
      const taken = [{ model_id: models[1] }, { model_id: models[0] }];
      await caller.post("runs/log-inputs", { run_id: runId, models: taken });
    }
    const whole = await read(runId);
    assert.deepEqual(modelIds(whole.inputs.model_inputs), [
      [models[1], undefined],
      [models[0], undefined],
    ]);
    assert.deepEqual(modelIds(whole.outputs.model_outputs), [
      [models[2], 3],
      [models[0], 0],
    ]);
    const { runs } = await caller.post("runs/search", {
      experiment_ids: [experimentId],
      filter: `run_id IN ('${runId}')`,
    });
    const [found] = runs as JsonObject[];
    assert.deepEqual([found.inputs, found.outputs], [whole.inputs, whole.outputs]);
  });

  test("a profile may be as long as MLflow allows", async () => {
    const runId = await caller.run();
    const profile = "p".repeat(16_777_215);
    const datasets = [{ dataset: dataset("long", { profile }) }];
    await caller.post("runs/log-inputs", { run_id: runId, datasets });
    const [found] = (await read(runId)).inputs.dataset_inputs as JsonObject[];
    assert.equal((found.dataset as JsonObject).profile, profile);
    const longer = { dataset: dataset("longer", { profile: `${profile}p` }) };
    const refusal = await caller.refusal("runs/log-inputs", { run_id: runId, datasets: [longer] });
    const words = "'profile' exceeds the maximum length of 16777215 characters";
    assert.deepEqual(refusal, [400, "INVALID_PARAMETER_VALUE", words]);
  });

  test("what is wrong is refused, and nothing of the request is stored", async () => {
    const runId = await caller.run();
    const good = { dataset: dataset("good") };
    const exceeds = (what: string, most: number) =>
      `'${what}' exceeds the maximum length of ${most} characters`;
    const refused: [JsonObject, string?][] = [
      [{ dataset: dataset("n".repeat(501)) }, exceeds("name", 500)],
      [{ dataset: dataset("n", { digest: "d".repeat(37) }) }, exceeds("digest", 36)],
      [{ dataset: dataset("n", { source: "s".repeat(65_536) }) }, exceeds("source", 65_535)],
      [{ dataset: dataset("n", { schema: "s".repeat(1_048_576) }) }, exceeds("schema", 1_048_575)],
      [{ ...good, tags: [{ key: "k".repeat(256), value: "" }] }, exceeds("key", 255)],
      [{ ...good, tags: [{ key: "k", value: "v".repeat(501) }] }, exceeds("value", 500)],
      [{ dataset: { name: "n" } }],
      [{ tags: [] }],
    ];
    for (const [input, sentence] of refused) {
      const body = { run_id: runId, datasets: [good, input], models: [{ model_id: "m-1" }] };
      const [status, code, message] = await caller.refusal("runs/log-inputs", body);
      assert.deepEqual([status, code], [400, "INVALID_PARAMETER_VALUE"]);
      if (sentence !== undefined) assert.equal(message, sentence);
    }
    assert.equal((await caller.refusal("runs/outputs", { run_id: runId }))[0], 400);
    assert.deepEqual(await read(runId).then(({ inputs, outputs }) => [inputs, outputs]), [{}, {}]);
    await caller.post("runs/delete", { run_id: runId });
    for (const path of ["runs/log-inputs", "runs/outputs"]) {
      const body = { run_id: runId, datasets: [good], models: [{ model_id: "m-1" }] };
      assert.match((await caller.refusal(path, body))[2], /must be in the 'active' state/);
    }
  });

  test("runs are found by what they read", async () => {
    const experimentId = await caller.experiment(uniqueName("data"));
    const rows: [string, [string, string, string?][]][] = [
      ["a", [["iris", "1", "train"]]],
      [
        "b",
        [
          ["iris", "2", "test"],
          ["wine", "1", "train"],
        ],
      ],
      ["c", [["wine", "1"]]],
      ["d", []],
    ];
    for (const [at, [name, sets]] of rows.entries()) {
      const runId = await caller.run(experimentId, { run_name: name, start_time: at });
      const datasets = sets.map(([set, digest, context]) => ({
        dataset: dataset(set, { digest }),
        tags: context === undefined ? [] : used(context),
      }));
      await caller.post("runs/log-inputs", { run_id: runId, datasets });
    }
    // The results of MLflow 3.17.2's own server.
    const filters: [string, string][] = [
      ["dataset.name = 'iris'", "ba"],
      ["dataset.name != 'iris'", "cb"],
      ["datasets.name LIKE 'w%'", "cb"],
      ["dataset.name ILIKE 'IRIS'", "ba"],
      ["dataset.name IN ('wine', 'none')", "cb"],
      ["dataset.name NOT IN ('wine')", "ba"],
      ["dataset.digest = '2'", "b"],
      ["dataset.context = 'train'", "ba"],
      ["dataset.context != 'train'", "b"],
      ["dataset.name = 'iris' AND dataset.context = 'train'", "ba"],
    ];
    for (const [filter, expected] of filters)
      assert.equal((await caller.found(experimentId, { filter })).join(""), expected, filter);
    for (const filter of ["dataset.nothing = 'a'", "dataset.name = 1", "dataset.name > 'a'"]) {
      const body = { experiment_ids: [experimentId], filter };
      assert.equal((await caller.refusal("runs/search", body))[0], 400, filter);
    }
  });

  test("values of a metric that name a model are the model's, too", async () => {
    const runId = await caller.run();
    const id = await caller.model();
    const on = { model_id: id, dataset_name: "iris", dataset_digest: "1" };
    const metrics = [
      { key: "acc", value: 0.5, timestamp: 1, step: 1, ...on },
      { key: "acc", value: 0.75, timestamp: 1, step: 1, ...on, dataset_digest: "2" },
      { key: "acc", value: "NaN", timestamp: 2, step: 2, model_id: id },
      { key: "loss", value: 1, timestamp: 1, step: 0 },
    ];
    for (let time = 0; time < 2; time++) {
      await caller.post("runs/log-batch", { run_id: runId, metrics });
      await caller.post("runs/log-metric", { run_id: runId, ...metrics[0] });
    }
    const { model } = await caller.get(`logged-models/${id}`);
    const { data } = model as { data: { metrics: JsonObject[] } };
    const expected = metrics.slice(0, 3).map((metric) => ({ ...metric, run_id: runId }));
    const byDigest = (one: JsonObject, other: JsonObject) =>
      String(one.dataset_digest) < String(other.dataset_digest) ? -1 : 1;
    assert.deepEqual(data.metrics.toSorted(byDigest), expected.toSorted(byDigest));
    assert.equal((await caller.read(runId)).data.metrics.length, 2);

    const refused = { run_id: runId, ...metrics[3], model_id: "m-none", timestamp: 7 };
    assert.deepEqual(await caller.refusal("runs/log-metric", refused), [
      404,
      "RESOURCE_DOES_NOT_EXIST",
      "Logged model with ID 'm-none' not found.",
    ]);
    const { metrics: history } = await caller.get("metrics/get-history", {
      run_id: runId,
      metric_key: "loss",
    });
    assert.equal((history as unknown[]).length, 1);
  });

  test("another organization's runs and models take nothing", async () => {
    const runId = await caller.run();
    const id = await caller.model();
    const own = await rival.run();
    const calls: [string, JsonObject][] = [
      ["runs/log-inputs", { run_id: runId, datasets: [{ dataset: dataset("a") }] }],
      ["runs/outputs", { run_id: runId, models: [{ model_id: "m-1" }] }],
      ["runs/log-metric", { run_id: own, key: "m", value: 1, timestamp: 1, model_id: id }],
    ];
    for (const [path, body] of calls) {
      const [status, code] = await rival.refusal(path, body);
      assert.deepEqual([path, status, code], [path, 404, "RESOURCE_DOES_NOT_EXIST"]);
    }
    assert.deepEqual(await read(runId).then(({ inputs, outputs }) => [inputs, outputs]), [{}, {}]);
    const { model } = await caller.get(`logged-models/${id}`);
    assert.deepEqual((model as JsonObject).data, {});
  });
});
