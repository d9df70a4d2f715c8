import assert from "node:assert/strict";
import { test } from "node:test";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { runVerify } from "../crash/verify-command.ts";
import type { JsonObject } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service } from "../service.ts";

test("two nodes at once name the same data sets and models, each stored once", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using first = await Service.start({ databaseUrl });
  await using second = await Service.start({ databaseUrl });
  const callers = [first, second].map(
    ({ baseUrl }) => new MlflowCaller({ baseUrl, observe() {} }, organizations.acme.key),
  );
  const on = (at: number): MlflowCaller => callers[at % callers.length];
  const modelId = await on(0).model();
  const names = ["a", "b", "c"];
  const inputs = (at: number) => {
    const datasets = names.map((name) => ({
      dataset: { name, digest: "1", source_type: "local", source: "{}" },
    }));
    return at % 4 < 2 ? datasets : datasets.toReversed();
  };
  const runs = await Promise.all(Array.from({ length: 12 }, async (_, at) => on(at).run()));
  // Each request goes to both nodes, as if the reply of one had been lost.
  await Promise.all(
    [...runs, ...runs].map(async (runId, turn) => {
      const at = turn + Math.floor(turn / runs.length);
      const metrics = names.map((key, step) => {
        return { key, value: step, timestamp: 1, step, model_id: modelId, dataset_name: "a" };
      });
      const models = [{ model_id: modelId }];
      await on(at).post("runs/log-inputs", { run_id: runId, datasets: inputs(turn), models });
      await on(at).post("runs/log-batch", { run_id: runId, metrics });
      await on(at).post("runs/outputs", { run_id: runId, models });
      const tags = [{ key: "shared", value: "1" }];
      await on(at).ask("PATCH", `logged-models/${modelId}/tags`, { tags });
    }),
  );
  for (const [at, runId] of runs.entries()) {
    const { run } = await on(at + 1).get("runs/get", { run_id: runId });
    const read = (run as { inputs: Record<string, { dataset: JsonObject }[]> }).inputs;
    const found = read.dataset_inputs.map(({ dataset }) => dataset.name);
    assert.deepEqual(found.toSorted(), names);
    assert.deepEqual(read.model_inputs, [{ model_id: modelId }]);
  }
  const { model } = await on(1).get(`logged-models/${modelId}`);
  const { info, data } = model as { info: JsonObject; data: { metrics: JsonObject[] } };
  assert.equal(data.metrics.length, runs.length * names.length);
  assert.deepEqual(info.tags, [{ key: "shared", value: "1" }]);
  const summaries = await on(0).post("experiments/search-datasets", { experiment_ids: ["0"] });
  assert.equal((summaries.dataset_summaries as unknown[]).length, names.length);
  await Promise.all([first.stop(), second.stop()]);
  const { code, output } = await runVerify(first);
  assert.equal(code, 0, output);
});
