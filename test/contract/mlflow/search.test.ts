import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

/** The results of MLflow 3.17.2's own server for the runs below. */
const filters: [string, string][] = [
  ["", "edcba"],
  ["metrics.acc > 0.5", "cb"],
  ["metrics.acc >= .5", "cba"],
  ["metrics.acc != 0.5", "dcb"],
  ["metrics.acc = 0.5", "a"],
  ["metrics.acc < 1e9 AND params.opt = 'adam'", "ca"],
  ["params.opt LIKE 'a%'", "ca"],
  ["params.opt LIKE 'A%'", ""],
  ["params.opt ILIKE 'A%'", "ca"],
  ["params.opt != 'adam'", "b"],
  ["params.opt IS NULL", "ed"],
  ["params.opt IS NOT NULL and tags.`a b` = 'x'", "b"],
  ['params."opt" = "adam"', "ca"],
  ["tags.mlflow.runName = 'c'", "c"],
  ["attributes.run_name IN ('a')", "!"],
  ["run_name = 'b'", "b"],
  ["run.`Run name` LIKE '_'", "edcba"],
  ["attr.status = 'FINISHED'", "b"],
  ["start_time > 2", "edc"],
  ["created <= 2", "ba"],
  ["end_time = 77", "b"],
  ["metrics.acc > 'x'", "!"],
  ["params.opt > 'x'", "!"],
  ["params.opt = adam", "!"],
  ["nothing.acc = 1", "!"],
  ["attributes.nothing = 'x'", "!"],
  ["metrics.acc > 0.5 OR metrics.acc < 0.1", "!"],
  ["metrics.acc >", "!"],
  ["metrics.acc > +0.5", "!"],
  ["metrics.acc >= .5 AND", "cba"],
  ["status = 'FINISHED'; status = 'RUNNING'", "!"],
];

const orders: [string[], string][] = [
  [["metrics.acc"], "acbde"],
  [["metrics.acc DESC"], "bcade"],
  [["params.opt ASC", "start_time ASC"], "acbde"],
  [["tags.`a b` desc"], "bceda"],
  [["run_name"], "abcde"],
  [["attribute.start_time DESC"], "edcba"],
  [["end_time"], "bedca"],
];

topic("searches of MLflow's clients", (system) => {
  let caller: MlflowCaller;
  let id: string;
  before(async () => {
    caller = new MlflowCaller(system, organizations.acme.key);
    id = await caller.experiment(uniqueName("search"));
    const acc = (value: number | string) => [{ key: "acc", value, timestamp: 1, step: 1 }];
    const opt = (value: string) => [{ key: "opt", value }];
    const rows: [string, JsonObject][] = [
      ["a", { metrics: acc(0.5), params: opt("adam") }],
      ["b", { metrics: acc("Infinity"), params: opt("sgd"), tags: [{ key: "a b", value: "x" }] }],
      ["c", { metrics: acc(0.75), params: opt("adam"), tags: [{ key: "a b", value: "X" }] }],
      ["d", { metrics: acc("NaN") }],
      ["e", {}],
    ];
    for (const [at, [name, more]] of rows.entries()) {
      const runId = await caller.run(id, { run_name: name, start_time: at + 1 });
      await caller.post("runs/log-batch", { run_id: runId, ...more });
      if (name === "b")
        await caller.post("runs/update", { run_id: runId, status: "FINISHED", end_time: 77 });
    }
  });

  test("filters find what they find in MLflow", async () => {
    for (const [filter, expected] of filters) {
      const body = { experiment_ids: [id], filter };
      if (expected === "!") {
        const [status, code] = await caller.refusal("runs/search", body);
        assert.deepEqual([filter, status, code], [filter, 400, "INVALID_PARAMETER_VALUE"]);
      } else assert.equal((await caller.found(id, { filter })).join(""), expected, filter);
    }
  });

  test("orders have what is missing last, and pages go on where they ended", async () => {
    for (const [orderBy, expected] of orders) {
      assert.equal((await caller.found(id, { order_by: orderBy })).join(""), expected, orderBy[0]);
      let paged = "";
      for (let token: string | undefined = ""; token !== undefined;) {
        const { runs = [], next_page_token: next } = await caller.post("runs/search", {
          experiment_ids: [id],
          order_by: orderBy,
          max_results: 2,
          page_token: token,
        });
        paged += (runs as { info: JsonObject }[]).map(({ info }) => info.run_name).join("");
        token = next as string | undefined;
      }
      assert.equal(paged, expected, `${orderBy[0]}, by pages`);
    }
    for (const orderBy of [["metrics.acc up"], ["nothing"], ["run_name", "run_name"]]) {
      const body = { experiment_ids: [id], order_by: orderBy };
      assert.equal((await caller.refusal("runs/search", body))[0], 400);
    }
  });

  test("deleted runs are found where they are asked for", async () => {
    const other = await caller.experiment(uniqueName("deleted"));
    const runId = await caller.run(other, { run_name: "gone" });
    await caller.run(other, { run_name: "here" });
    await caller.post("runs/delete", { run_id: runId });
    const found = (view: string | number) =>
      caller.found(other, { run_view_type: view, order_by: ["run_name"] });
    assert.deepEqual(await found("ACTIVE_ONLY"), ["here"]);
    assert.deepEqual(await found("DELETED_ONLY"), ["gone"]);
    assert.deepEqual(await found(3), ["gone", "here"]);
    assert.deepEqual(await caller.found("nothing"), []);
    assert.deepEqual(
      await caller.found("0", { max_results: 50_001 }).catch(() => "refused"),
      "refused",
    );
  });
});
