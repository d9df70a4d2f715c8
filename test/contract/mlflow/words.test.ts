import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { observed, uniqueName } from "../callers.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

topic("refusals in MLflow's words", (system) => {
  let caller: MlflowCaller;
  let runId: string;
  before(async () => {
    caller = new MlflowCaller(system, organizations.acme.key);
    runId = await caller.run();
  });
  const says = async (path: string, body: JsonObject, sentence: string) =>
    assert.deepEqual(await caller.refusal(path, body), [400, "INVALID_PARAMETER_VALUE", sentence]);
  const docs = " See the API docs for more information about request parameters.";

  test("of searches", async () => {
    const value = (most: number) => `Invalid value ${most} for parameter 'max_results' supplied.`;
    for (const path of ["experiments/search", "runs/search"]) {
      await says(path, { max_results: 0 }, `${value(0)} It must be a positive integer`);
      await says(path, { max_results: 50_001 }, `${value(50_001)} It must be at most 50000`);
    }
    for (const path of ["experiments/search", "runs/search"])
      await says(path, { filter: "  " }, "Invalid filter '  '. Could not be parsed.");
    const filters: [string, string][] = [
      ["metrics.m <> 0", "Invalid comparator '<>' not one of '{'>', '>=', '!=', '=', '<', '<='}"],
      ["metrics.m >", "Invalid clause(s) in filter string: 'metrics.m', '>'"],
      ["metrics.m > 0;", "Invalid clause(s) in filter string: ';'"],
      ["metrics.m LIKE 'x'", "Expected numeric value type for metric. Found 'x'"],
      [
        "params.p IN ('v')",
        "Expected a quoted string value for parameter (e.g. 'my-value'). Got value ('v')",
      ],
    ];
    for (const [filter, sentence] of filters)
      await says("runs/search", { experiment_ids: ["0"], filter }, sentence);
  });

  test("of values", async () => {
    const metric = { run_id: runId, key: "m", value: 1, timestamp: 1 };
    const path = "runs/log-metric";
    await says(
      path,
      { ...metric, value: "" },
      `Missing value for required parameter 'value'.${docs}`,
    );
    await says(
      path,
      { ...metric, timestamp: -1 },
      "Invalid value -1 for parameter 'timestamp' supplied: metric 'm' (value=1.0). Timestamp must be a nonnegative long (64-bit integer) ",
    );
    const pairs = (value: string) => ["a", "b"].map((key) => ({ key, value }));
    await caller.post("runs/log-batch", { run_id: runId, params: pairs("1") });
    await says(
      "runs/log-batch",
      { run_id: runId, params: pairs("2") },
      "Changing param values is not allowed. Params were already logged='[{'key': 'a', 'old_value': '1', 'new_value': '2'}, {'key': 'b', 'old_value': '1', 'new_value': '2'}]' " +
        `for run ID='${runId}'.`,
    );
  });

  test("of locations that are no plain addresses", async () => {
    for (const location of ["s3://bucket/a#b", "https://host/a;b", "/shared/a;b"]) {
      await says(
        "experiments/create",
        { name: uniqueName("located"), artifact_location: location },
        "'artifact_location' URL can't include fragments or params.",
      );
    }
    const admin = await signIn(system, "ada");
    const allow = (allowed: string[], credential = admin) =>
      observed(system, {
        method: "PUT",
        path: "/api/v1/mlflow-locations",
        body: { allowed },
        credential,
      });
    const refused = async (...locations: string[]) => {
      for (const location of locations) {
        const body = { name: uniqueName("located"), artifact_location: location };
        const [status, , message] = await caller.refusal("experiments/create", body);
        assert.equal(status, 400, location);
        assert.match(message, /^artifact_location: the organization does not allow '/);
      }
    };
    await refused("file:///etc", "/etc", "my_location", "s3://bucket", "gs://other/x");
    assert.equal((await allow(["s3://bucket"], organizations.acme.key)).status, 403);
    assert.equal((await allow(["S3 bucket"])).status, 400);
    assert.equal((await allow(["s3://bucket", "gs://team/"])).status, 200);
    await refused(
      "file:///etc",
      "s3://bucket-of-others/x",
      "s3://bucket/../other",
      "s3://bucket/%2e%2e/other",
      "gs://team",
      "S3://other",
    );
    const kept = { name: uniqueName("located"), artifact_location: "s3://bucket/a;b/c?d=e" };
    const made = await caller.post("experiments/create", kept);
    const runId = await caller.run(String(made.experiment_id));
    const { info } = await caller.read(runId);
    assert.equal(info.artifact_uri, `s3://bucket/a;b/c/${runId}/artifacts?d=e`);
  });
});
