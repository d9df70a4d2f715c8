import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { observed, uniqueName } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { topic } from "../topic.ts";
import { table, untilSummarized } from "./table-calls.ts";

topic("when experiments began and how long they took", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const hour = 3_600_000;

  test("is when their points say, where those lie outside of what the service was told", async () => {
    const project = uniqueName("times");
    const nowMs = Date.now();
    // Milliseconds from now of the points of each.
    const runs: Record<string, number[]> = {
      imported: [-1_000 * hour, -990 * hour],
      sent: [-2 * hour, -hour],
      waited: [-hour, 0],
      ahead: [0, 9 * hour],
      none: [],
    };
    const ids = new Map<string, string>();
    for (const [name, times] of Object.entries(runs)) {
      const experiment = await system.acme.open(`${project}/${name}`);
      ids.set(name, experiment.experimentId);
      await experiment.tell("start");
      const points = times.map((ms, step) =>
        experiment.metric({ step, timestampMs: nowMs + ms, metricValue: 1 }),
      );
      if (points.length > 0) await experiment.send(...points);
      await experiment.tell("done");
    }
    await untilSummarized(system, system.acme);
    const query = `slug ~ ${project}/*`;
    const columns = ["began", "duration"];
    const { rows } = await table(system, system.acme, { query, columns });
    const byName = new Map(rows.map((row) => [row.slug.slice(project.length + 1), row]));
    const rounded = (name: string) => {
      const { beganAtMs, endedAtMs, values } = byName.get(name)!;
      assert.deepEqual(values, [beganAtMs, endedAtMs! - beganAtMs]);
      return [beganAtMs - nowMs, endedAtMs! - nowMs].map((ms) => Math.round(ms / hour));
    };
    assert.deepEqual(rounded("imported"), [-1_000, -990]);
    assert.deepEqual(rounded("sent"), [-2, -1]);
    assert.deepEqual(rounded("waited"), [-1, 0]);
    assert.deepEqual(rounded("ahead"), [0, 9]);
    assert.deepEqual(rounded("none"), [0, 0]);
    assert.equal(byName.get("imported")!.beganAtMs, nowMs - 1_000 * hour);
    // The service's own times are unchanged.
    const none = byName.get("none")!;
    assert.deepEqual([none.beganAtMs, none.endedAtMs], [none.startedAtMs, none.doneAtMs]);
    const order = async (field: string, descending: boolean) => {
      const sorted = await table(system, system.acme, { query, sort: [{ field, descending }] });
      return sorted.rows.map(({ slug }) => slug.slice(project.length + 1));
    };
    assert.deepEqual((await order("began", false)).slice(0, 3), ["imported", "sent", "waited"]);
    assert.deepEqual((await order("duration", true)).slice(0, 2), ["imported", "ahead"]);
    const found = await table(system, system.acme, {
      query: `${query} began < -90m duration <= 1h`,
    });
    assert.deepEqual(
      found.rows.map(({ slug }) => slug),
      [`${project}/sent`],
    );
    const { info } = await caller.read(ids.get("sent")!);
    assert.deepEqual([info.start_time, info.end_time], [nowMs - 2 * hour, nowMs - hour]);
    const filter = `attributes.start_time < ${nowMs - 90 * 60_000}`;
    const asked = { filter, order_by: ["attributes.start_time DESC"] };
    const names = (await caller.found("0", asked)).filter((slug) => slug.startsWith(project));
    assert.deepEqual(names, [`${project}/sent`, `${project}/imported`]);
    const said = await system.acme.ask("query.attributes", { experimentId: ids.get("sent")! });
    assert.deepEqual([said.beganAtMs, said.endedAtMs], [nowMs - 2 * hour, nowMs - hour]);
    const csv = await observed(system, {
      path: `/api/views/v1/experiments.csv?query=${encodeURIComponent(query)}&sort=began`,
      credential: system.acme.credential,
    });
    const [head, first] = csv.text.split("\r\n").map((line) => line.split(","));
    assert.equal(first[head.indexOf("beganAtMs")], String(nowMs - 1_000 * hour));
  });

  test("is what an MLflow client says of its run", async () => {
    const runId = await caller.run("0", { start_time: 5_000 });
    await caller.post("runs/log-metric", {
      run_id: runId,
      key: "m",
      value: 1,
      timestamp: 9,
      step: 1,
    });
    await caller.post("runs/update", { run_id: runId, status: "FINISHED", end_time: 65_000 });
    await untilSummarized(system, system.acme);
    const columns = ["began", "duration"];
    const { rows } = await table(system, system.acme, { query: `id = ${runId}`, columns });
    assert.deepEqual(rows[0].values, [5_000, 60_000]);
    const { info } = await caller.read(runId);
    assert.deepEqual([info.start_time, info.end_time], [5_000, 65_000]);
  });

  test("of what runs it goes on till now", async () => {
    const experiment = await system.acme.open(uniqueName("live"));
    await experiment.tell("start");
    const startMs = Date.now() - 2 * hour;
    await experiment.send(experiment.metric({ timestampMs: startMs }));
    await untilSummarized(system, system.acme);
    const { rows } = await table(system, system.acme, {
      query: `id = ${experiment.experimentId}`,
      columns: ["began", "duration"],
    });
    const [began, duration] = rows[0].values as number[];
    assert.deepEqual([began, rows[0].endedAtMs], [startMs, null]);
    assert.ok(duration >= 2 * hour && duration < 3 * hour);
    const said: JsonObject = await system.acme.record(experiment.experimentId);
    assert.ok(Number(said.startedAtMs) > startMs + hour, "the record is as it was");
  });
});
