import assert from "node:assert/strict";
import { before, test } from "node:test";
import { call, type JsonObject, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

/** The results of MLflow 3.17.2's own server for the models below; `!`: it refuses. */
const filters: [string, string][] = [
  ["", "dcba"],
  ["name = 'a'", "a"],
  ["name != 'a'", "dcb"],
  ["name LIKE 'A%'", ""],
  ["name ILIKE 'A%'", "a"],
  ["name IN ('a','b')", "ba"],
  ["name NOT IN ('a')", "dcb"],
  ["model_type = 'agent'", "a"],
  ["attributes.name = 'a'", "a"],
  ["creation_timestamp > 0", "dcba"],
  ["creation_time > 0", "dcba"],
  ["last_updated_timestamp > 1e20", ""],
  ["status = 2", "a"],
  ["status = '2'", "a"],
  ["lifecycle_stage='active'", "dcba"],
  ["artifact_location LIKE '%models%'", "dcba"],
  ["name = a", "a"],
  ["  name  =  'a'  ", "a"],
  ["params.lr = '1'", "a"],
  ["params.lr != '1'", "cb"],
  ["params.lr LIKE '1%'", "ca"],
  ["params.lr IN ('1','10')", "ca"],
  ["params.`lr` = '1'", "a"],
  ["tags.t ILIKE 'X'", "ba"],
  ["tags.t LIKE 'x'", "a"],
  ["metrics.acc > 0.6", "cb"],
  ["metrics.acc < 0.6", "ba"],
  ["metrics.acc != 0.5", "cb"],
  ["metrics.`acc` > 0.6", "cb"],
  ["metrics.loss >= 3", "c"],
  ["metrics.acc > 0.6 AND params.lr = '2'", "b"],
  ["metrics.acc > 0.6 and name = 'b'", "b"],
  ["tag.t = 'x'", "!"],
  ["params.lr > '1'", "!"],
  ["params.lr IS NULL", "!"],
  ["metrics.acc > 'x'", "!"],
  ["metrics.acc LIKE 'a'", "!"],
  ["nothing = 'a'", "!"],
  ["name = 'a' OR name = 'b'", "!"],
  ["name =", "!"],
  ["name = 'a';name='b'", "!"],
];

const iris = { dataset_name: "iris" };

/** The same of orders; the last two are refused. */
const orders: [JsonObject, string][] = [
  [{ field_name: "name" }, "abcd"],
  [{ field_name: "name", ascending: false }, "dcba"],
  [{ field_name: "creation_timestamp" }, "abcd"],
  [{ field_name: "creation_time", ascending: false }, "dcba"],
  [{ field_name: "metrics.acc" }, "bacd"],
  [{ field_name: "metrics.acc", ascending: false }, "cabd"],
  [{ field_name: "metrics.acc", ...iris }, "abdc"],
  [{ field_name: "metrics.acc", ascending: false, ...iris, dataset_digest: "2" }, "bdca"],
  [{ field_name: "metrics.acc", dataset_digest: "2" }, "bdca"],
  [{ field_name: "params.lr" }, "!"],
  [{ field_name: "nothing" }, "!"],
];

const datasets: [string, JsonObject[], string][] = [
  ["", [iris], "ba"],
  ["", [{ ...iris, dataset_digest: "1" }], "a"],
  ["metrics.acc > 0.6", [iris], "b"],
  ["metrics.acc < 0.6", [{ dataset_name: "wine" }, { ...iris, dataset_digest: "1" }], "ba"],
  ["name='a'", [{ dataset_name: "wine" }], ""],
  ["", [{ dataset_name: "" }], "!"],
];

topic("searches of logged models", (system) => {
  let caller: MlflowCaller;
  let id = "";
  const found = async (more: JsonObject, who = caller): Promise<string> => {
    const { models = [] } = await who.post("logged-models/search", {
      experiment_ids: [id],
      ...more,
    });
    return (models as { info: JsonObject }[]).map(({ info }) => info.name).join("");
  };
  const judge = async (more: JsonObject, expected: string): Promise<void> => {
    const where = JSON.stringify(more);
    if (expected !== "!") return assert.equal(await found(more), expected, where);
    const body = { experiment_ids: [id], ...more };
    const [status, code] = await caller.refusal("logged-models/search", body);
    assert.deepEqual([status, code], [400, "INVALID_PARAMETER_VALUE"], where);
  };

  before(async () => {
    caller = new MlflowCaller(system, organizations.acme.key);
    id = await caller.experiment(uniqueName("model search"));
    const pair = (key: string, value: string) => [{ key, value }];
    const acc = (value: number, step: number, dataset?: [string, string]) => ({
      key: "acc",
      value,
      step,
      timestamp: step,
      ...(dataset && { dataset_name: dataset[0], dataset_digest: dataset[1] }),
    });
    const rows: [string, JsonObject, JsonObject[]][] = [
      [
        "a",
        { params: pair("lr", "1"), tags: pair("t", "x"), model_type: "agent" },
        [acc(0.5, 1, ["iris", "1"])],
      ],
      [
        "b",
        { params: pair("lr", "2"), tags: pair("t", "X") },
        [acc(0.9, 1, ["iris", "2"]), acc(0.1, 2, ["wine", "1"])],
      ],
      ["c", { params: pair("lr", "10") }, [acc(0.7, 1), { ...acc(3, 1), key: "loss" }]],
      ["d", { tags: pair("t", "y") }, []],
    ];
    let newest = 0;
    for (const [name, more, metrics] of rows) {
      // The order of those made within one millisecond is that of their ids.
      while (Date.now() <= newest + 1);
      const modelId = await caller.model(id, { name, ...more });
      newest = Date.now();
      const named = metrics.map((one) => ({ ...one, model_id: modelId }));
      await caller.post("runs/log-batch", { run_id: await caller.run(id), metrics: named });
      if (name === "a") await caller.ask("PATCH", `logged-models/${modelId}`, { status: 2 });
    }
  });

  test("filters find what they find in MLflow", async () => {
    for (const [filter, expected] of filters) await judge({ filter }, expected);
    await judge({ filter: "status = 'READY'" }, "a");
    await judge({ filter: "status IN ('READY', 'FAILED')" }, "a");
  });

  test("data sets narrow what metrics count", async () => {
    for (const [filter, wanted, expected] of datasets)
      await judge({ filter, datasets: wanted }, expected);
  });

  test("orders are MLflow's, and pages go on where they ended", async () => {
    for (const [order, expected] of orders) {
      await judge({ order_by: [order] }, expected);
      if (expected === "!") continue;
      let paged = "";
      for (let token: string | undefined = ""; token !== undefined;) {
        const { models = [], next_page_token: next } = await caller.post("logged-models/search", {
          experiment_ids: [id],
          order_by: [order],
          max_results: 3,
          page_token: token,
        });
        paged += (models as { info: JsonObject }[]).map(({ info }) => info.name).join("");
        token = next as string | undefined;
      }
      assert.equal(paged, expected, JSON.stringify(order));
    }
    const { next_page_token: token } = await caller.post("logged-models/search", {
      experiment_ids: [id],
      max_results: 1,
    });
    const says = async (more: JsonObject, words: string) => {
      const body = { experiment_ids: [id], page_token: token, ...more };
      const [status, , message] = await caller.refusal("logged-models/search", body);
      assert.deepEqual([status, message], [400, words]);
    };
    const other = (what: string) => `${what} in the page token do`;
    await says(
      { experiment_ids: [id, "0"] },
      `${other("Experiment IDs")} not match the requested experiment IDs.`,
    );
    await says(
      { filter: "name = 'a'" },
      `${other("Filter string")}es not match the requested filter string.`,
    );
    await says(
      { order_by: [{ field_name: "name" }] },
      `${other("Order by")}es not match the requested order by.`,
    );
    for (const filter of ["Foo", " ", "name =", "name = 'a' OR name = 'b'"])
      await says(
        { filter },
        `Invalid filter string: '${filter}'. Expected a list of comparisons separated by 'AND' ` +
          "(e.g. 'metrics.loss > 0.1 AND params.lr = 0.01').",
      );
    await judge({ page_token: "nonsense" }, "!");
    await judge({ max_results: 50_001 }, "!");
  });

  test("deleted models are not found, nor those of others", async () => {
    const other = await caller.experiment(uniqueName("deleted models"));
    const gone = await caller.model(other, { name: "gone" });
    await caller.model(other, { name: "here" });
    await caller.ask("DELETE", `logged-models/${gone}`);
    assert.equal(await found({ experiment_ids: [other, "nothing"] }), "here");
    const rival = new MlflowCaller(system, organizations.rival.key);
    assert.equal(await found({ experiment_ids: [other, id] }, rival), "");
    assert.equal((await caller.refusal("logged-models/search", {}))[0], 400);
  });

  test("data sets of experiments are summarized, each with what it was read for", async () => {
    const other = await caller.experiment(uniqueName("summaries"));
    const runs = [await caller.run(other), await caller.run(other)];
    const input = (name: string, context?: string) => ({
      dataset: { name, digest: "1", source_type: "local", source: "{}" },
      tags: context === undefined ? [] : [{ key: "mlflow.data.context", value: context }],
    });
    const log = (run: string, ...sets: JsonObject[]) =>
      caller.post("runs/log-inputs", { run_id: run, datasets: sets });
    await log(runs[0], input("iris", "train"), input("wine"));
    await log(runs[1], input("iris", "test"), input("wine"));
    const asked = { experiment_ids: [other] };
    const search = async (credential: string) => {
      const path = "/ajax-api/2.0/mlflow/experiments/search-datasets";
      const reply = await call(system.baseUrl, { path, body: asked, credential });
      return parseObject(reply.text);
    };
    const summary = (name: string, context?: string) => ({
      experiment_id: other,
      name,
      digest: "1",
      ...(context === undefined ? {} : { context }),
    });
    assert.deepEqual(await search(organizations.acme.key), {
      dataset_summaries: [summary("iris", "test"), summary("iris", "train"), summary("wine")],
    });
    assert.deepEqual(await search(organizations.rival.key), {});
    for (const count of [0, 21]) {
      const body = { experiment_ids: Array.from({ length: count }, () => other) };
      assert.equal((await caller.refusal("experiments/search-datasets", body))[0], 400);
    }
  });

  test("models of old clients are a list in a tag", async () => {
    const runId = await caller.run(id);
    const model = (path: string) => ({
      run_id: runId,
      artifact_path: path,
      utc_time_created: "2026-01-01 00:00:00",
      model_uuid: "u",
      flavors: { python_function: { loader_module: "m" } },
    });
    const record = (value: unknown) => ({ run_id: runId, model_json: JSON.stringify(value) });
    const withConfig = {
      ...model("a"),
      flavors: { python_function: { loader_module: "m", config: { a: 1 } } },
      saved_input_example_info: {},
    };
    await caller.post("runs/log-model", record(withConfig));
    await caller.post("runs/log-model", record(model("b")));
    const history = async () => {
      const { data } = await caller.read(runId);
      const tag = data.tags.find(({ key }) => key === "mlflow.log-model.history");
      return JSON.parse(String(tag?.value)) as unknown;
    };
    assert.deepEqual(await history(), [model("a"), model("b")]);
    const { flavors: _, ...incomplete } = model("c");
    const refused: [JsonObject, string][] = [
      [{ run_id: runId, model_json: "{" }, "Malformed model info. \n { \n is not a valid JSON."],
      [record(incomplete), "Model json is missing mandatory fields: {'flavors'}"],
      [record(model("x".repeat(8_000))), "'value' exceeds the maximum length of 8000 characters"],
    ];
    for (const [body, sentence] of refused)
      assert.equal((await caller.refusal("runs/log-model", body))[2], sentence);
    const rival = new MlflowCaller(system, organizations.rival.key);
    assert.equal((await rival.refusal("runs/log-model", record(model("d"))))[0], 404);
    assert.deepEqual(await history(), [model("a"), model("b")]);
  });
});
