/** Requests and replies as in a first recording. A test sends them to a service. */
const experimentId = "01m818m5th4s0000000000000e";

const examples: Record<string, { request?: unknown; reply?: unknown }> = {
  organizationEvents: {
    request: [
      {
        messageId: "5f0c6d1e-0001",
        event: "svc.v2.experiment.open",
        data: { slug: "mnist/run-1", description: "A first run.", meta: { lr: 0.001 } },
      },
      {
        messageId: "5f0c6d1e-0002",
        event: "svc.v2.query.experiment",
        data: { experimentSlug: "mnist/no-such-run" },
      },
    ],
    reply: [
      {
        messageId: "01m818m5tk0000000000000001",
        correlationId: "5f0c6d1e-0001",
        event: "svc.v2.experiment.opened",
        data: { experimentId, experimentToken: "ik_…", expiresAtMs: 1_795_423_604_000 },
      },
      {
        messageId: "01m818m5tk0000000000000002",
        correlationId: "5f0c6d1e-0002",
        event: "svc.v2.error",
        data: {
          code: "experiment_not_found",
          message: "There is no experiment with this slug.",
          status: 404,
          retryable: false,
          details: {},
        },
      },
    ],
  },
  experimentEvents: {
    request: [
      {
        messageId: "run1-0",
        event: "svc.v2.experiment.metric",
        data: {
          experimentId,
          timestampMs: 1_795_337_204_812,
          step: 0,
          metricName: "train/loss",
          metricValue: 2.302585,
          meta: { rank: "0" },
        },
      },
      { messageId: "5f0c6d1e-0003", event: "svc.v2.experiment.done", data: { experimentId } },
    ],
    reply: [
      {
        messageId: "01m818m5tk0000000000000003",
        correlationId: "run1-0",
        event: "svc.v2.metricRecorded",
        data: { experimentId, metricName: "train/loss", deduplicated: false },
      },
      {
        messageId: "01m818m5tk0000000000000004",
        correlationId: "5f0c6d1e-0003",
        event: "svc.v2.experiment.completed",
        data: { experimentId, status: "done", statusAtMs: 1_795_337_209_004 },
      },
    ],
  },
  querySeries: {
    request: {
      messageId: "5f0c6d1e-0004",
      event: "svc.v2.query.experimentseries",
      data: { experimentId, seriesNames: ["train/loss"], filter: [], xAxis: "step" },
    },
    reply: {
      messageId: "01m818m5tk0000000000000005",
      correlationId: "5f0c6d1e-0004",
      event: "svc.v2.query.series.data",
      data: {
        experimentId,
        seriesName: "train/loss",
        metadata: { rank: "0" },
        data: { step: [0], timestampMs: [1_795_337_204_812], value: [2.302585] },
      },
    },
  },
  openArtifact: {
    request: { mode: "latest", place: { cloud: "aws", region: "eu-central-1", source: "node-7" } },
  },
  beginVersion: {
    request: {
      epoch: 1,
      place: { cloud: "aws", region: "eu-central-1", source: "node-7" },
      files: [{ name: "model.pt", size: 9_437_184 }],
      meta: { step: 1000 },
    },
  },
  commitUpload: {
    request: { epoch: 1, files: [{ name: "model.pt", etags: ['"9b2cf5"', '"e1f0aa"'] }] },
    reply: { version: "000000001000", committed: "2026-11-22T14:56:34.000Z" },
  },
};

export function exampleOf(name: string, side: "request" | "reply"): unknown {
  return examples[name]?.[side];
}
