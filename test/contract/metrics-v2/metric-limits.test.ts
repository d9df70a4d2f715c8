import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { refused } from "../callers.ts";
import { topic } from "../topic.ts";

const longMeta = Object.fromEntries(
  Array.from({ length: 32 }, (_, number) => [`key-${number}`, "x"]),
);
/** It is exactly 4,096 bytes of canonical JSON: `{"k0":"…", …}`, 8 values, the last cut to fit. */
const fullMeta = metaOfSize(4_096);

/** Each limit itself is accepted and reads back; one more is refused (T27, T33). */
const accepted: { [limit: string]: JsonObject } = {
  "messageId of 1 character": {},
  "timestampMs 0": { timestampMs: 0 },
  "timestampMs 2^53 - 1": { timestampMs: 2 ** 53 - 1 },
  "step 0": { step: 0 },
  "step 2^53 - 2": { step: 2 ** 53 - 2 },
  "metricName of 1 byte": { metricName: "~" },
  "metricName of 256 bytes": { metricName: "n".repeat(256) },
  "the largest double": { metricValue: Number.MAX_VALUE },
  "the smallest double": { metricValue: Number.MIN_VALUE },
  "meta of 32 keys": { meta: longMeta },
  "a meta key of 128 bytes": { meta: { ["k".repeat(128)]: "v" } },
  "a meta key of 64 two-byte characters": { meta: { ["é".repeat(64)]: "v" } },
  "a meta value of 512 bytes": { meta: { k: "v".repeat(512) } },
  "a meta value of 128 four-byte characters": { meta: { k: "😀".repeat(128) } },
  "meta of 4,096 bytes of canonical JSON": { meta: fullMeta },
};

const rejected: { [limit: string]: JsonObject } = {
  "timestampMs 2^53": { timestampMs: 2 ** 53 },
  "timestampMs -1": { timestampMs: -1 },
  "timestampMs 0.5": { timestampMs: 0.5 },
  "timestampMs null": { timestampMs: null },
  "step 2^53 - 1": { step: 2 ** 53 - 1 },
  "step -1": { step: -1 },
  "step 1.5": { step: 1.5 },
  "step null": { step: null },
  "step true": { step: true },
  "metricName empty": { metricName: "" },
  "metricName of 257 bytes": { metricName: "n".repeat(257) },
  "metricName with DEL": { metricName: "a\u007f" },
  "metricName with a tab": { metricName: "a\tb" },
  "metricName with a newline": { metricName: "a\n" },
  "metricName not ASCII": { metricName: "é" },
  "metricName null": { metricName: null },
  "metricValue a string": { metricValue: "1" },
  "metricValue null": { metricValue: null },
  "metricValue true": { metricValue: true },
  "metricValue a list": { metricValue: [1] },
  "meta of 33 keys": { meta: { ...longMeta, more: "x" } },
  "a meta key of 129 bytes": { meta: { ["k".repeat(129)]: "v" } },
  "a meta key of 65 two-byte characters": { meta: { ["é".repeat(65)]: "v" } },
  "a meta value of 513 bytes": { meta: { k: "v".repeat(513) } },
  "a meta value of 129 four-byte characters": { meta: { k: "😀".repeat(129) } },
  "meta of 4,097 bytes of canonical JSON": { meta: metaOfSize(4_097) },
};

topic("limits of a metric point", (system) => {
  for (const [limit, data] of Object.entries(accepted)) {
    test(`accepted: ${limit}`, async () => {
      const experiment = await system.acme.open();
      const sent = experiment.metric(data);
      await experiment.send(sent);
      const { partitions } = await system.acme.series(experiment.experimentId);
      const { metricName, meta, step, timestampMs, metricValue } = sent.data;
      assert.deepEqual(partitions, [
        {
          seriesName: metricName,
          metadata: meta,
          step: [step],
          timestampMs: [timestampMs],
          value: [metricValue],
        },
      ]);
    });
  }

  test("refused, and nothing stored: all of the others", async () => {
    const experiment = await system.acme.open();
    for (const [limit, data] of Object.entries(rejected)) {
      const error = await refused(
        experiment.post(experiment.metric(data)),
        400,
        "validation_failed",
      ).catch((cause: unknown) => assert.fail(`${limit}: ${String(cause)}`));
      assert.ok(error.message.length > 0);
    }
    assert.equal((await system.acme.series(experiment.experimentId)).done.points, 0);
  });

  test("escapes count as canonical JSON writes them", async () => {
    const experiment = await system.acme.open();
    // In canonical JSON a control character is 6 bytes (\u0001), a newline 2 (\n), an umlaut its 2.
    const meta = (characters: number): JsonObject => ({
      a: "\u0001".repeat(512),
      b: "\n".repeat(characters),
    });
    const room = (4_096 - Buffer.byteLength(JSON.stringify(meta(0)))) / 2;
    await experiment.send(experiment.metric({ meta: meta(Math.floor(room)) }));
    await refused(
      experiment.post(experiment.metric({ meta: meta(Math.floor(room) + 1) })),
      400,
      "validation_failed",
    );
  });
});

function metaOfSize(sizeBytes: number): JsonObject {
  const meta: JsonObject = {};
  for (let key = 0; key < 8; key++) meta[`k${key}`] = "";
  let left = sizeBytes - JSON.stringify(meta).length;
  for (let key = 0; key < 8; key++) {
    meta[`k${key}`] = "v".repeat(Math.min(left, 512));
    left -= Math.min(left, 512);
  }
  if (left !== 0) throw new Error(`BUG: ${left} bytes do not fit`);
  return meta;
}
