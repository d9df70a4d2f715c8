import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../http.ts";
import { killDuring } from "./mlflow-kills.ts";

const writers = ["a", "b", "c"];
const metricsPerBatch = 20;

/** The n-th batch of a writer: points of v2, values that only MLflow reads, a param and a tag. */
function batchOf(writer: string, number: number) {
  const steps = Array.from({ length: metricsPerBatch }, (_, at) => number * metricsPerBatch + at);
  return {
    metrics: steps.map((step) => {
      const value = step % 7 === 0 ? "NaN" : step / 3;
      return { key: writer, value, timestamp: 1_000 + step, step };
    }),
    params: [{ key: `${writer}/${number}`, value: `${number}` }],
    tags: [{ key: writer, value: `${number}` }],
  };
}

test("kill -9 during batches: each is there whole or not at all, and a repeat adds nothing", async (context) => {
  await killDuring(context, async (caller) => {
    const runId = await caller.run();
    const send = (writer: string, number: number) =>
      caller.post("runs/log-batch", { run_id: runId, ...batchOf(writer, number) });
    const acknowledged = new Map(writers.map((writer) => [writer, 0]));
    const stored = async (writer: string) => {
      const asked = { run_id: runId, metric_key: writer };
      const { metrics = [] } = await caller.get("metrics/get-history", asked);
      const rows = metrics as JsonObject[];
      return rows.map(({ step, value, timestamp }) => [step, value, timestamp]);
    };
    const expected = (writer: string, batches: number) =>
      Array.from({ length: batches }, (_, number) => batchOf(writer, number).metrics)
        .flat()
        .map(({ step, value, timestamp }) => [step, value, timestamp]);
    return {
      kills: 3,
      writers,
      async write(writer) {
        const number = acknowledged.get(writer)!;
        await send(writer, number);
        acknowledged.set(writer, number + 1);
      },
      async check() {
        const { params, tags } = (await caller.read(runId)).data;
        for (const writer of writers) {
          const sure = acknowledged.get(writer)!;
          const found = await stored(writer);
          // The batch whose answer never came may be there, as a whole.
          const batches = Math.ceil(found.length / metricsPerBatch);
          const isPossible = batches === sure || batches === sure + 1;
          assert.ok(isPossible, `${writer}: ${batches}, not ${sure}`);
          assert.deepEqual(found, expected(writer, batches));
          const own = params.filter(({ key }) => String(key).startsWith(`${writer}/`));
          assert.equal(own.length, batches);
          const tag = tags.find(({ key }) => key === writer)?.value;
          assert.equal(tag, batches === 0 ? undefined : `${batches - 1}`);
          for (let number = Math.max(0, sure - 2); number <= sure; number++)
            await send(writer, number);
          assert.deepEqual(await stored(writer), expected(writer, sure + 1));
          acknowledged.set(writer, sure + 1);
        }
      },
    };
  });
});
