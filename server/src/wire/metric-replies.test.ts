import assert from "node:assert/strict";
import { test } from "node:test";
import { errorData } from "@lossless/protocol";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import { type Outcome, PointResult } from "../storage/storage.ts";
import { MetricReader, type MetricRequest } from "./metric-reader.ts";
import { MetricReplies } from "./metric-replies.ts";

interface Reply {
  messageId: string;
  correlationId: string;
  event: string;
  data: unknown;
}

const reader = new MetricReader(new IdentifierHasher(Uint32Array.of(1, 2, 3, 4)));
const replies = new MetricReplies();
const names = ["a", "loss/validation", "n".repeat(256), "two words", "b"];

function request(count: number, isArray = true): MetricRequest {
  const events = Array.from({ length: count }, (_, index) => ({
    messageId: `m${index}`.padEnd(1 + (index % 40), "-"),
    event: "svc.v2.experiment.metric",
    data: {
      experimentId: "x1",
      timestampMs: 0,
      step: 0,
      metricName: names[index % names.length],
      metricValue: 0,
      meta: {},
    },
  }));
  const found = reader.read(Buffer.from(JSON.stringify(isArray ? events : events[0])), "x1");
  assert.ok(found);
  return found;
}

function write(metrics: MetricRequest, outcome: Outcome): Reply[] {
  const parsed = JSON.parse(replies.write(metrics, "x1", outcome, 7).toString("utf8")) as
    | Reply
    | Reply[];
  return Array.isArray(parsed) ? parsed : [parsed];
}

test("every point is answered in its place, according to its result", () => {
  const metrics = request(1_000);
  const results = Uint8Array.from({ length: 1_000 }, (_, index) => index % 4);
  const written = write(metrics, { kind: "metrics", results });
  assert.equal(written.length, 1_000);
  assert.equal(new Set(written.map(({ messageId }) => messageId)).size, 1_000);
  for (const [index, { correlationId, event, data }] of written.entries()) {
    assert.equal(correlationId, `m${index}`.padEnd(1 + (index % 40), "-"));
    switch (index % 4) {
      case PointResult.conflict:
        assert.deepEqual([event, data], ["svc.v2.error", errorData("message_id_conflict")]);
        break;
      case PointResult.limitExceeded:
        assert.equal(event, "svc.v2.error");
        assert.deepEqual((data as { details: unknown }).details, {
          limit: "seriesPerExperiment",
          maximum: 7,
        });
        break;
      default:
        assert.equal(event, "svc.v2.metricRecorded");
        assert.deepEqual(data, {
          experimentId: "x1",
          metricName: names[index % names.length],
          deduplicated: index % 4 === PointResult.duplicate,
        });
    }
  }
});

test("points that failed as a whole are all answered alike, whatever the details hold", () => {
  const outcome: Outcome = {
    kind: "error",
    code: "experiment_not_found",
    message: "Kein “Versuch” 🏃\n",
    details: { slug: "é\u2028" },
  };
  const written = write(request(2), outcome);
  const expected = errorData("experiment_not_found", outcome.message, outcome.details);
  for (const { event, data } of written)
    assert.deepEqual([event, data], ["svc.v2.error", expected]);
});
