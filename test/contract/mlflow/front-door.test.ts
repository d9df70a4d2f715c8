import assert from "node:assert/strict";
import { test } from "node:test";
import { call, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

topic("the front door of MLflow's clients", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const get = (path: string, headers = {}) => call(system.baseUrl, { path, headers });

  test("version, health and server-info are open and say nothing of anybody", async () => {
    assert.equal((await get("/version")).text, "3.17.2");
    assert.equal((await get("/health")).text, "OK");
    for (const prefix of ["/api", "/ajax-api"]) {
      const info = await get(`${prefix}/3.0/mlflow/server-info`);
      assert.deepEqual(JSON.parse(info.text), {
        store_type: null,
        workspaces_enabled: false,
        multipart_uploads_enabled: false,
        multipart_downloads_enabled: false,
        trace_archival_enabled: false,
      });
    }
  });

  test("the key comes as a bearer or as the password of Basic, and as nothing else", async () => {
    const path = "/api/2.0/mlflow/experiments/get?experiment_id=0";
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    const { key } = organizations.acme;
    for (const authorization of [`Bearer ${key}`, basic(`anybody:${key}`), basic(`:${key}`)])
      assert.equal((await get(path, { authorization })).status, 200);
    const experiment = await system.acme.open();
    const refused = [{}, { authorization: basic(key) }, { authorization: "Basic !" }];
    for (const headers of [...refused, { authorization: `Bearer ${experiment.token}` }]) {
      const reply = await get(path, headers);
      assert.equal(reply.status, 401);
      assert.equal(JSON.parse(reply.text).error_code, "UNAUTHENTICATED");
      assert.equal(reply.headers["www-authenticate"], 'Basic realm="Lossless"');
    }
    // MLflow's form of credentials is refused in v2.
    const v2 = await get("/api/v2/auth/status", { authorization: basic(`x:${key}`) });
    assert.equal(v2.status, 401);
  });

  test("a personal token acts for its member, as far as its scope reaches", async () => {
    const session = await signIn(system, "ada");
    const made = async (scope: string): Promise<string> => {
      const body = { name: "mlflow", scope, days: 1 };
      const path = "/api/sign-on/v1/tokens";
      const reply = await call(system.baseUrl, { path, credential: session, body });
      return String(parseObject(reply.text).secret);
    };
    const writing = new MlflowCaller(system, await made("write"));
    const runId = await writing.run();
    await writing.post("runs/log-metric", { run_id: runId, key: "a", value: 1, timestamp: 1 });
    const reading = new MlflowCaller(system, await made("read"));
    const { info } = await reading.read(runId);
    assert.equal(info.run_id, runId);
    const search = { experiment_ids: ["0"], filter: `attributes.run_id = '${runId}'` };
    assert.equal(((await reading.post("runs/search", search)).runs as object[]).length, 1);
    await reading.post("experiments/search", { max_results: 1 });
    const tag = { run_id: runId, key: "a", value: "b" };
    const [status, code, sentence] = await reading.refusal("runs/set-tag", tag);
    assert.deepEqual([status, code], [403, "PERMISSION_DENIED"]);
    assert.match(sentence, /scope read/);
    const other = new MlflowCaller(system, organizations.rival.key);
    assert.equal((await other.refusal(`runs/get?run_id=${runId}`))[0], 404);
    // A session's secret is no credential here, whoever sends it.
    assert.equal((await new MlflowCaller(system, session).refusal("runs/get?run_id=x"))[0], 401);
  });

  test("what only MLflow's server has is 501, and what nobody has 404, in its form", async () => {
    for (const path of [
      "/api/2.0/mlflow/webhooks",
      "/ajax-api/2.0/mlflow/prompts/create",
      "/api/3.0/mlflow/traces",
      "/v1/traces",
    ]) {
      const reply = await call(system.baseUrl, { path, body: { name: "m" } });
      assert.equal(reply.status, 501, path);
      assert.equal(JSON.parse(reply.text).error_code, "NOT_IMPLEMENTED");
      assert.match(JSON.parse(reply.text).message, /^Lossless /);
    }
    for (const body of [{ query: "query Viewer { viewer { id } }" }, "{", "[]"]) {
      const reply = await call(system.baseUrl, { path: "/graphql", method: "POST", body });
      // W&B's SDK tries anything else again, for up to two minutes, before it shows the sentence.
      assert.equal(reply.status, 400);
      assert.equal(reply.headers["retry-after"], undefined);
      const [error] = (parseObject(reply.text) as { errors: { message: string }[] }).errors;
      assert.match(error.message, /^Lossless does not answer GraphQL\. /);
    }
    for (const path of ["/model-versions/get-artifact", "//model-versions/get-artifact"]) {
      const ask = async (file: string) => {
        const query = `name=m&version=1&path=${file}`;
        const reply = await get(`${path}?${query}`);
        const { error_code: code, message } = parseObject(reply.text);
        return [reply.status, code, message];
      };
      const climbing = await ask("..%2Fa");
      assert.deepEqual(climbing, [400, "INVALID_PARAMETER_VALUE", "Invalid path"]);
      assert.deepEqual((await ask("a")).slice(0, 2), [501, "NOT_IMPLEMENTED"]);
    }
    assert.deepEqual(await caller.refusal("nothing/of-this-name", {}), [
      404,
      "ENDPOINT_NOT_FOUND",
      "There is nothing at this address.",
    ]);
    assert.equal((await caller.refusal("runs/create"))[0], 405);
  });

  test("the document names the codes that only these clients are told", async () => {
    const document = JSON.parse((await get("/api/openapi.json")).text);
    for (const [code, status] of [
      ["feature_disabled", 400],
      ["not_implemented", 501],
      ["model_not_found", 404],
      ["tag_not_found", 404],
      ["file_not_found", 404],
    ] as const) {
      const { layers, ...known } = document["x-error-codes"][code];
      assert.deepEqual([layers, known.status], [["mlflow"], status]);
    }
  });

  test("bodies are lenient, and what is wrong is said with its path", async () => {
    assert.equal((await caller.refusal("runs/create", "{"))[0], 400);
    assert.equal((await caller.refusal("runs/create", "[]"))[0], 400);
    const asText = await caller.request({
      path: "/api/2.0/mlflow/runs/create",
      body: "{}",
      headers: { "content-type": "text/plain" },
    });
    assert.equal(asText.status, 400);
    const runId = await caller.run("0", { unknown: { field: [1] }, end_time: null });
    const metric = { key: "a", value: "-Infinity", timestamp: "5", step: "7" };
    await caller.post("runs/log-metric", { run_uuid: runId, ...metric });
    const refused = async (metrics: object[]) =>
      (await caller.refusal("runs/log-batch", { run_id: runId, metrics: metrics as [] }))[2];
    const docs = "See the API docs for more information about request parameters.";
    assert.equal(
      await refused([{ ...metric, step: "a" }]),
      `Invalid value "a" for parameter 'metrics[0].step' supplied:  Hint: Value was of type 'str'. ${docs}`,
    );
    assert.equal(
      await refused([metric, { key: "a", value: 1 }]),
      `Missing value for required parameter 'metrics[1].timestamp'. ${docs}`,
    );
    assert.equal(
      (await caller.refusal("runs/get"))[2],
      `Missing value for required parameter 'run_id'. ${docs}`,
    );
  });

  test("a workspace other than the default one is refused", async () => {
    const path = "/api/2.0/mlflow/experiments/get?experiment_id=0";
    const asked = (name: string) =>
      caller.request({ path, headers: { "x-mlflow-workspace": name } });
    assert.equal((await asked("default")).status, 200);
    const refused = await asked("other");
    assert.equal(refused.status, 400);
    assert.equal(parseObject(refused.text).error_code, "FEATURE_DISABLED");
  });
});
