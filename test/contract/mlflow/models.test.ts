import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

topic("logged models of MLflow", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const rival = new MlflowCaller(system, organizations.rival.key);
  const read = async (id: string) => {
    const { model } = await caller.get(`logged-models/${id}`);
    return model as unknown as { info: JsonObject; data: Record<string, JsonObject[]> };
  };

  test("a model is made, described, finalized and read back", async () => {
    const experimentId = await caller.experiment(uniqueName("models"));
    const runId = await caller.run(experimentId);
    const { model } = await caller.post("logged-models", {
      experiment_id: experimentId,
      name: "net",
      model_type: "agent",
      source_run_id: runId,
      params: [{ key: "lr", value: "0.1" }],
      tags: [{ key: "a", value: "1" }],
    });
    const { info, data } = model as { info: JsonObject; data: JsonObject };
    const id = String(info.model_id);
    assert.match(id, /^m-[0-9a-f]{32}$/);
    const { creation_timestamp_ms: made, last_updated_timestamp_ms: changed, ...rest } = info;
    assert.equal(made, changed);
    assert.deepEqual(rest, {
      model_id: id,
      experiment_id: experimentId,
      name: "net",
      artifact_uri: `mlflow-artifacts:/${experimentId}/models/${id}/artifacts`,
      status: "LOGGED_MODEL_PENDING",
      model_type: "agent",
      source_run_id: runId,
      tags: [{ key: "a", value: "1" }],
    });
    assert.deepEqual(data, { params: [{ key: "lr", value: "0.1" }] });

    const params = [
      { key: "lr", value: "0.1" },
      { key: "empty", value: "" },
    ];
    for (let time = 0; time < 2; time++)
      await caller.post(`logged-models/${id}/params`, { model_id: id, params });
    const tags = [
      { key: "a", value: "2" },
      { key: "b", value: "x" },
    ];
    await caller.ask("PATCH", `logged-models/${id}/tags`, { tags });
    await caller.ask("DELETE", `logged-models/${id}/tags/a`);
    const final = await caller.ask("PATCH", `logged-models/${id}`, {
      model_id: id,
      status: "LOGGED_MODEL_READY",
    });
    const after = await read(id);
    assert.deepEqual(final.model, after);
    assert.equal(after.info.status, "LOGGED_MODEL_READY");
    assert.ok(Number(after.info.last_updated_timestamp_ms) >= Number(made));
    assert.deepEqual(after.info.tags, [{ key: "b", value: "x" }]);
    assert.deepEqual(after.data.params, [{ key: "empty", value: "" }, params[0]]);
  });

  test("a model without a name gets one, and names have MLflow's rule", async () => {
    const id = await caller.model("0", { name: "" });
    assert.match(String((await read(id)).info.name), /^[a-z]+-[a-z]+-\d+$/);
    for (const character of ["/", ":", ".", "%", '"', "'"]) {
      const name = `a${character}b`;
      const shown = character === "'" ? `"a'b"` : `'${name}'`;
      assert.deepEqual(await caller.refusal("logged-models", { experiment_id: "0", name }), [
        400,
        "INVALID_PARAMETER_VALUE",
        `Invalid model name (${shown}) provided. Model name must be a non-empty string and cannot ` +
          `contain the following characters: ('/', ':', '.', '%', '"', "'")`,
      ]);
    }
  });

  test("what is wrong is refused and changes nothing", async () => {
    const id = await caller.model("0", { params: [{ key: "p", value: "1" }] });
    const two = (value: string) => ({
      params: [
        { key: "q", value: "1" },
        { key: "p", value },
      ],
    });
    const refused: [string, string, JsonObject, number][] = [
      ["POST", `logged-models/${id}/params`, two("2"), 400],
      ["POST", `logged-models/${id}/params`, two("x".repeat(65_536)), 400],
      ["POST", `logged-models/${id}/params`, { params: [{ value: "1" }] }, 400],
      ["PATCH", `logged-models/${id}/tags`, { tags: [{ key: "k".repeat(256), value: "" }] }, 400],
      ["PATCH", `logged-models/${id}`, { status: "READY" }, 400],
      ["PATCH", `logged-models/${id}`, {}, 400],
      ["DELETE", `logged-models/${id}/tags/none`, {}, 404],
      ["POST", "logged-models", { name: "net" }, 400],
      ["POST", "logged-models", { experiment_id: "nothing" }, 404],
    ];
    for (const [method, path, body, status] of refused)
      assert.equal((await caller.refusal(path, body, method))[0], status, path);
    const { info, data } = await read(id);
    assert.deepEqual([info.tags, info.status], [undefined, "LOGGED_MODEL_PENDING"]);
    assert.deepEqual(data.params, [{ key: "p", value: "1" }]);
  });

  test("a deleted model is read only by those who ask for such", async () => {
    const id = await caller.model();
    for (let time = 0; time < 2; time++)
      await caller.ask("DELETE", `logged-models/${id}`, { model_id: id });
    assert.deepEqual(await caller.refusal(`logged-models/${id}`), [
      404,
      "RESOURCE_DOES_NOT_EXIST",
      `Logged model with ID '${id}' not found.`,
    ]);
    const { model } = await caller.get(`logged-models/${id}`, { allow_deleted: "true" });
    assert.equal(((model as JsonObject).info as JsonObject).model_id, id);
  });

  test("a deleted experiment takes no models, a removed folder leaves its models at the root", async () => {
    const experimentId = await caller.experiment(uniqueName("removed"));
    const id = await caller.model(experimentId);
    await caller.post("experiments/delete", { experiment_id: experimentId });
    assert.equal((await caller.refusal("logged-models", { experiment_id: experimentId }))[0], 400);
    await system.acme.ask("folder.delete", { folderId: experimentId });
    const { info } = await read(id);
    assert.deepEqual(
      [info.experiment_id, info.artifact_uri],
      ["0", `mlflow-artifacts:/0/models/${id}/artifacts`],
    );
  });

  test("another organization's models are not there", async () => {
    const id = await caller.model("0", { tags: [{ key: "t", value: "1" }] });
    const calls: [string, string, JsonObject?][] = [
      ["GET", `logged-models/${id}?allow_deleted=true`],
      ["PATCH", `logged-models/${id}`, { status: 2 }],
      ["DELETE", `logged-models/${id}`],
      ["POST", `logged-models/${id}/params`, { params: [{ key: "p", value: "1" }] }],
      ["PATCH", `logged-models/${id}/tags`, { tags: [{ key: "t", value: "2" }] }],
      ["DELETE", `logged-models/${id}/tags/t`],
    ];
    for (const [method, path, body] of calls) {
      const [status, code] = await rival.refusal(path, body, method);
      assert.deepEqual([path, status, code], [path, 404, "RESOURCE_DOES_NOT_EXIST"]);
    }
    const { info, data } = await read(id);
    assert.deepEqual(
      [info.status, info.tags, data],
      ["LOGGED_MODEL_PENDING", [{ key: "t", value: "1" }], {}],
    );
  });
});
