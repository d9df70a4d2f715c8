import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

/** Metrics in a reply as [run, step, timestamp, value]. */
function shown({ metrics = [] }: JsonObject): unknown[][] {
  return (metrics as JsonObject[]).map((one) => [one.run_id, one.step, one.timestamp, one.value]);
}

topic("a metric of many runs of MLflow", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const read = async (path: string, query: [string, string][], by = caller) => {
    const search = new URLSearchParams(query).toString();
    const reply = await by.request({ path: `/api/2.0/mlflow/metrics/${path}?${search}` });
    return shown(ok<JsonObject>(reply));
  };
  const log = (runId: string, rows: [number, number, number | string][]) =>
    caller.post("runs/log-batch", {
      run_id: runId,
      metrics: rows.map(([step, timestamp, value]) => ({ key: "m", step, timestamp, value })),
    });
  const steps = (rows: unknown[][]) => rows.map(([, step]) => step);

  test("comes by run, time and step, as many as were asked for", async () => {
    const first = await caller.run();
    const second = await caller.run();
    await log(first, [
      [1, 30, 0.5],
      [2, 10, 0.25],
      [-1, 20, "NaN"],
    ]);
    await log(second, [[0, 5, 7]]);
    const asked: [string, string][] = [
      ["run_id", second],
      ["run_id", first],
      ["run_id", "nobody"],
      ["metric_key", "m"],
    ];
    const all = [
      [first, 2, 10, 0.25],
      [first, -1, 20, "NaN"],
      [first, 1, 30, 0.5],
      [second, 0, 5, 7],
    ].toSorted(([one], [other]) => (String(one) < String(other) ? -1 : one === other ? 0 : 1));
    assert.deepEqual(await read("get-history-bulk", asked), all);
    assert.deepEqual(
      await read("get-history-bulk", [...asked, ["max_results", "2"]]),
      all.slice(0, 2),
    );
    const rival = new MlflowCaller(system, organizations.rival.key);
    assert.deepEqual(await read("get-history-bulk", asked, rival), []);
  });

  test("is thinned evenly, with the first and the last, and in a range of steps", async () => {
    const runId = await caller.run();
    await log(
      runId,
      Array.from({ length: 10 }, (_, step) => [step, 100 - step, step === 9 ? "Infinity" : step]),
    );
    const thinned = (...more: [string, string][]) =>
      read("get-history-bulk-interval", [["run_ids", runId], ["metric_key", "m"], ...more]);
    const all = Array.from({ length: 10 }, (_, step) => step);
    assert.deepEqual(steps(await thinned()), all);
    assert.deepEqual(steps(await thinned(["max_results", "10"])), all);
    // The answers of MLflow 3.17.2.
    assert.deepEqual(await thinned(["max_results", "4"]), [
      [runId, 0, 100, 0],
      [runId, 3, 97, 3],
      [runId, 6, 94, 6],
      [runId, 9, 91, "Infinity"],
    ]);
    assert.deepEqual(steps(await thinned(["max_results", "1"])), [9]);
    const range: [string, string][] = [
      ["start_step", "2"],
      ["end_step", "6"],
    ];
    assert.deepEqual(steps(await thinned(...range)), [2, 3, 4, 5, 6]);
    assert.deepEqual(steps(await thinned(...range, ["max_results", "2"])), [2, 6]);
    const rival = new MlflowCaller(system, organizations.rival.key);
    const asked: [string, string][] = [
      ["run_ids", runId],
      ["metric_key", "m"],
    ];
    assert.deepEqual(await read("get-history-bulk-interval", asked, rival), []);
  });

  test("values at one step are in the order of time and value, regular or not", async () => {
    const runId = await caller.run();
    await log(runId, [
      [0, 2, 5],
      [0, 1, "-Infinity"],
      [0, 1, 3],
      [0, 1, 2],
      [-4, 9, 1],
    ]);
    const rows = await read("get-history-bulk-interval", [
      ["run_ids", runId],
      ["metric_key", "m"],
    ]);
    assert.deepEqual(
      rows.map(([, ...one]) => one),
      [
        [-4, 9, 1],
        [0, 1, "-Infinity"],
        [0, 1, 2],
        [0, 1, 3],
        [0, 2, 5],
      ],
    );
  });

  test("is refused in MLflow's words", async () => {
    const many = Array.from({ length: 101 }, (_, at) => `x${at}`);
    const docs = " See the API docs for more information about request parameters.";
    const refusals: [string, string][] = [
      [
        "get-history-bulk?metric_key=m",
        "GetMetricHistoryBulk request must specify at least one run_id.",
      ],
      ["get-history-bulk?run_id=x", "GetMetricHistoryBulk request must specify a metric_key."],
      [
        `get-history-bulk?metric_key=m&run_id=${many.join("&run_id=")}`,
        "GetMetricHistoryBulk request cannot specify more than 100 run_ids. Received 101 run_ids.",
      ],
      [
        "get-history-bulk-interval?metric_key=m",
        `Missing value for required parameter 'run_ids'.${docs}`,
      ],
      [
        "get-history-bulk-interval?run_ids=x",
        `Missing value for required parameter 'metric_key'.${docs}`,
      ],
      [
        `get-history-bulk-interval?metric_key=m&run_ids=${many.join("&run_ids=")}`,
        `GetMetricHistoryBulkInterval request must specify at most 100 run_ids. Received 101 run_ids.${docs}`,
      ],
      [
        "get-history-bulk-interval?metric_key=m&run_ids=x&max_results=2501",
        `max_results must be between 1 and 2500.${docs}`,
      ],
      [
        "get-history-bulk-interval?metric_key=m&run_ids=x&start_step=1",
        "If either start step or end step are specified, both must be specified.",
      ],
      [
        "get-history-bulk-interval?metric_key=m&run_ids=x&start_step=5&end_step=1",
        "end_step must be greater than start_step. Found start_step=5 and end_step=1.",
      ],
      ["get-history-bulk-interval", `Missing value for required parameter 'run_ids'.${docs}`],
    ];
    for (const [path, sentence] of refusals) {
      assert.deepEqual(await caller.refusal(`metrics/${path}`), [
        400,
        "INVALID_PARAMETER_VALUE",
        sentence,
      ]);
    }
  });

  test("has the partitions of a series of v2 under their metadata", async () => {
    const native = await system.acme.open();
    const runId = native.experimentId;
    const point = (step: number, metricValue: number, meta: JsonObject = {}, metricName = "m") =>
      native.metric({ metricName, metricValue, timestampMs: 10 + step, step, meta });
    const left = { gpu: "0", split: "val" };
    await native.send(
      point(1, 0.5, left),
      point(2, 0.25, left),
      point(9, 9, { split: "test" }),
      point(3, 3),
      point(4, 4, { split: "x" }, "only"),
      // Both are the same key to MLflow: all of their points are there.
      point(1, 1, { a: "1,b=2" }, "same"),
      point(2, 2, { a: "1", b: "2" }, "same"),
      ...Array.from({ length: 34 }, (_, at) => point(at, at, { layer: `${at}` }, "many")),
    );
    const latest = async () => {
      const { metrics } = (await caller.read(runId)).data;
      return new Map(metrics.map(({ key, value }) => [String(key), value]));
    };
    const keys: [string, number][] = [
      ["m", 3],
      ["m{gpu=0,split=val}", 0.25],
      ["m{split=test}", 9],
      ["only{split=x}", 4],
      ["same{a=1,b=2}", 2],
      ["many{layer=7}", 7],
      ["many{layer=33}", 33],
    ];
    const known = await latest();
    assert.equal(known.size, 5 + 34);
    for (const [key, value] of keys) assert.equal(known.get(key), value, key);
    const page = async (key: string) => {
      const asked = { run_id: runId, metric_key: key };
      const { metrics = [] } = await caller.get("metrics/get-history", asked);
      return (metrics as JsonObject[]).map(({ step, value }) => [step, value]);
    };
    assert.deepEqual(await page("m"), [[3, 3]]);
    const points = [
      [1, 0.5],
      [2, 0.25],
    ];
    const key = "m{gpu=0,split=val}";
    assert.deepEqual(await page(key), points);
    assert.deepEqual((await page("same{a=1,b=2}")).length, 2);
    assert.deepEqual(await page("m{split=none}"), []);
    for (const [path, name] of [
      ["get-history-bulk", "run_id"],
      ["get-history-bulk-interval", "run_ids"],
    ] as const) {
      const rows = await read(path, [
        [name, runId],
        ["metric_key", key],
      ]);
      assert.deepEqual(
        rows.map(([, step, , value]) => [step, value]),
        points,
      );
    }
    for (const [value, isFound] of [
      [0.25, true],
      [0.5, false],
    ] as const) {
      const filter = `metrics.\`${key}\` = ${value} AND attributes.run_id = '${runId}'`;
      assert.deepEqual(await caller.found("0", { filter }), isFound ? [native.slug] : []);
    }
    // Once more, through what came behind the summaries and through MLflow.
    await native.send(point(5, 5, left), point(40, 40, { layer: "7" }, "many"));
    await caller.post("runs/log-metric", {
      run_id: runId,
      key: "m",
      value: 6,
      timestamp: 6,
      step: 6,
    });
    const later = await latest();
    assert.deepEqual([later.get(key), later.get("m"), later.get("many{layer=7}")], [5, 6, 40]);
  });
});
