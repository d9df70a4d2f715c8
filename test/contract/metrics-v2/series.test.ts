import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { parseLines, type JsonObject } from "../../http.ts";
import { event, type ExperimentCaller, type Partition, refused } from "../callers.ts";
import { topic } from "../topic.ts";

topic("series streams", (system) => {
  test("an experiment without points, an unknown one and an unknown name end with zero counts", async () => {
    const { experimentId } = await system.acme.open();
    for (const id of [experimentId, "unknown"]) {
      const one = await system.acme.oneSeries(id, "loss");
      assert.deepEqual(one.done, { batches: 0, points: 0 });
      const all = await system.acme.series(id);
      assert.deepEqual(all.done, { series: 0, batches: 0, points: 0 });
      const named = await system.acme.series(id, { seriesNames: ["b", "a"] });
      assert.deepEqual(named.done, { series: 2, batches: 0, points: 0 });
      assert.deepEqual(
        named.summaries.map(({ seriesName }) => seriesName),
        ["b", "a"],
      );
    }
  });

  test("a data record has exactly the fields of the specification", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    await experiment.send(
      experiment.metric({ step: 1, timestampMs: 2, metricValue: 3, meta: { a: "b" } }),
    );
    const { records } = await system.acme.oneSeries(experimentId, "loss");
    assert.deepEqual(
      records.map(({ data }) => data),
      [
        {
          experimentId,
          seriesName: "loss",
          metadata: { a: "b" },
          data: { step: [1], timestampMs: [2], value: [3] },
        },
      ],
    );
  });

  test("points are sorted by step, then timestamp, then arrival", async () => {
    const { experiment, points } = await scattered(system.acme.open());
    const { partitions } = await system.acme.series(experiment.experimentId, { xAxis: "step" });
    const sorted = points.toSorted(
      (left, right) => left.step - right.step || left.timestampMs - right.timestampMs,
    );
    assert.deepEqual(columns(partitions[0]), columnsOf(sorted));
  });

  test("points are sorted by timestamp, then step, then arrival", async () => {
    const { experiment, points } = await scattered(system.acme.open());
    const { partitions } = await system.acme.series(experiment.experimentId, {
      xAxis: "timestamp",
    });
    const sorted = points.toSorted(
      (left, right) => left.timestampMs - right.timestampMs || left.step - right.step,
    );
    assert.deepEqual(columns(partitions[0]), columnsOf(sorted));
  });

  test("a long partition comes as consecutive records that add up", async () => {
    const experiment = await system.acme.open();
    for (let from = 0; from < 12_000; from += 1_000) {
      await experiment.send(
        ...Array.from({ length: 1_000 }, (_, index) =>
          experiment.metric(
            { step: from + index, metricValue: Math.sin(from + index) },
            `p-${from + index}`,
          ),
        ),
      );
    }
    const { partitions, records } = await system.acme.series(experiment.experimentId);
    assert.ok(records.length >= 2);
    assert.equal(partitions.length, 1);
    assert.deepEqual(
      partitions[0].step,
      Array.from({ length: 12_000 }, (_, step) => step),
    );
    assert.deepEqual(
      partitions[0].value,
      Array.from({ length: 12_000 }, (_, step) => Math.sin(step)),
    );
  });

  test("filters: all predicates must match, by key or by key and value", async () => {
    const experiment = await system.acme.open();
    const metas = [{}, { a: "1" }, { a: "2" }, { a: "1", b: "" }, { b: "1", é: "%" }];
    await experiment.send(...metas.map((meta, step) => experiment.metric({ meta, step })));
    const cases: [{ metadataKey: string; metadataValue?: string }[], number[]][] = [
      [[], [0, 1, 2, 3, 4]],
      [[{ metadataKey: "a" }], [1, 2, 3]],
      [[{ metadataKey: "a", metadataValue: "1" }], [1, 3]],
      [[{ metadataKey: "a" }, { metadataKey: "b" }], [3]],
      [[{ metadataKey: "b", metadataValue: "" }], [3]],
      [
        [
          { metadataKey: "a", metadataValue: "1" },
          { metadataKey: "a", metadataValue: "2" },
        ],
        [],
      ],
      [
        [
          { metadataKey: "a", metadataValue: "1" },
          { metadataKey: "a", metadataValue: "1" },
        ],
        [1, 3],
      ],
      [[{ metadataKey: "A" }], []],
      [[{ metadataKey: "é", metadataValue: "%" }], [4]],
      [[{ metadataKey: "%" }], []],
      [[{ metadataKey: "a", metadataValue: "%" }], []],
      [[{ metadataKey: "a", metadataValue: "_" }], []],
    ];
    for (const [filter, expected] of cases) {
      for (const read of [
        await system.acme.series(experiment.experimentId, { filter }),
        await system.acme.oneSeries(experiment.experimentId, "loss", { filter }),
      ]) {
        const steps = read.partitions.flatMap(({ step }) => step).sort();
        assert.deepEqual(steps, expected, JSON.stringify(filter));
      }
    }
  });

  test("named series: duplicates count once, summaries in request order, names of others stay out", async () => {
    const experiment = await system.acme.open();
    const names = ["a", "b", "c", "d"];
    await experiment.send(...names.map((metricName) => experiment.metric({ metricName })));
    const { experimentId } = experiment;
    const read = await system.acme.series(experimentId, { seriesNames: ["c", "none", "a", "c"] });
    assert.deepEqual(
      read.summaries.map(({ seriesName }) => seriesName),
      ["c", "none", "a"],
    );
    assert.deepEqual(read.done, { series: 3, batches: 2, points: 2 });
    assert.deepEqual((await system.acme.series(experimentId, { seriesNames: [] })).done, {
      series: 0,
      batches: 0,
      points: 0,
    });
    const all = await system.acme.series(experimentId);
    assert.deepEqual(
      all.summaries.map(({ seriesName }) => seriesName),
      names,
      "omitted: name order",
    );
    const one = await system.acme.oneSeries(experimentId, "b");
    assert.deepEqual(
      one.partitions.map(({ seriesName }) => seriesName),
      ["b"],
    );
  });

  test("a filtered series of an omitted name list still has its summary or none, but counts right", async () => {
    const experiment = await system.acme.open();
    await experiment.send(
      experiment.metric({ metricName: "a", meta: { k: "1" } }),
      experiment.metric({ metricName: "b" }),
    );
    const read = await system.acme.series(experiment.experimentId, {
      filter: [{ metadataKey: "k" }],
    });
    assert.equal(read.done.points, 1);
    assert.deepEqual(
      read.partitions.map(({ seriesName }) => seriesName),
      ["a"],
    );
  });

  test("limits: 32 predicates, 1,000 names, one envelope", async () => {
    const { experimentId } = await system.acme.open();
    const filter = Array.from({ length: 33 }, (_, number) => ({ metadataKey: `k${number}` }));
    const seriesNames = Array.from({ length: 1_001 }, (_, number) => `name ${number}`);
    const read = await system.acme.series(experimentId, {
      filter: filter.slice(1),
      seriesNames: seriesNames.slice(1),
    });
    assert.equal(read.done.series, 1_000);
    const good = { experimentId, filter: [], xAxis: "step" };
    const wrong: [string, JsonObject][] = [
      ["query.experimentseries", { ...good, filter }],
      ["query.experimentseries", { ...good, seriesNames }],
      ["query.experimentseries", { ...good, seriesNames: null }],
      ["query.experimentseries", { ...good, seriesNames: [1] }],
      ["query.experimentseries", { ...good, xAxis: "time" }],
      ["query.experimentseries", { ...good, xAxis: "Step" }],
      ["query.experimentseries", { experimentId, filter: [] }],
      ["query.experimentseries", { experimentId, xAxis: "step" }],
      ["query.experimentseries", { filter: [], xAxis: "step" }],
      ["query.series", { ...good, seriesName: 1 }],
      ["query.series", good],
      ["query.series", { ...good, seriesName: "a", seriesNames: [] }],
      ["query.series", { ...good, seriesName: "a", filter }],
      ["query.series", { ...good, seriesName: "a", filter: [{}] }],
      ["query.series", { ...good, seriesName: "a", filter: [{ metadataKey: 1 }] }],
      [
        "query.series",
        { ...good, seriesName: "a", filter: [{ metadataKey: "a", metadataValue: null }] },
      ],
      ["query.series", { ...good, seriesName: "a", filter: [{ metadataKey: "a", extra: "b" }] }],
      ["query.series", { ...good, seriesName: "a", filter: null }],
    ];
    for (const [name, data] of wrong) {
      await refused(system.acme.query(name, data), 400, "validation_failed");
    }
    const series = event("query.series", { ...good, seriesName: "a" });
    await refused(system.acme.postQuery([series]), 400, "validation_failed");
    await refused(system.acme.postQuery([]), 400, "validation_failed");
    await refused(
      system.acme.postQuery(event("query.catalog", { experimentId })),
      400,
      "validation_failed",
    );
  });

  test("a stream shows the state at its start while writes go on", async () => {
    const experiment = await system.acme.open();
    await experiment.send(...Array.from({ length: 500 }, (_, step) => experiment.metric({ step })));
    const reads = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await experiment.send(experiment.metric({ step: 500 + index }));
        return system.acme.series(experiment.experimentId);
      }),
    );
    for (const read of reads) {
      const { step } = read.partitions[0];
      assert.equal(new Set(step).size, step.length);
      assert.ok(step.length > 500 && step.length <= 520);
    }
    assert.equal((await system.acme.series(experiment.experimentId)).done.points, 520);
  });

  test("a reader that leaves early harms nobody", async () => {
    const experiment = await system.acme.open();
    await experiment.send(
      ...Array.from({ length: 1_000 }, (_, step) => experiment.metric({ step })),
    );
    const { experimentId } = experiment;
    const sent = event("query.experimentseries", { experimentId, filter: [], xAxis: "step" });
    for (let count = 0; count < 5; count++) {
      await new Promise<void>((resolve, reject) => {
        const { hostname, port } = new URL(system.baseUrl);
        const authorization = `Bearer ${system.acme.credential}`;
        const headers = { authorization, "content-type": "application/json" };
        const call = request({
          hostname,
          port,
          path: "/api/v2/query/series",
          method: "POST",
          headers,
          agent: false,
        });
        call.on("response", (response) => {
          response.destroy();
          resolve();
        });
        call.on("error", reject).end(JSON.stringify(sent));
      });
    }
    assert.equal((await system.acme.series(experimentId)).done.points, 1_000);
  });

  test("every record names the request and has a fresh messageId", async () => {
    const experiment = await system.acme.open();
    await experiment.send(
      experiment.metric({ metricName: "a" }),
      experiment.metric({ metricName: "b" }),
    );
    const sent = event("query.experimentseries", {
      experimentId: experiment.experimentId,
      filter: [],
      xAxis: "timestamp",
    });
    const reply = await system.acme.postQuery(sent);
    const lines = parseLines(reply.text);
    assert.ok(lines.every(({ correlationId }) => correlationId === sent.messageId));
    assert.equal(new Set(lines.map(({ messageId }) => messageId)).size, lines.length);
  });
});

interface Point {
  step: number;
  timestampMs: number;
  metricValue: number;
}

/** 300 points have few steps and times, so all tie rules are met; a value is the arrival order. */
async function scattered(
  opened: Promise<ExperimentCaller>,
): Promise<{ experiment: ExperimentCaller; points: Point[] }> {
  const experiment = await opened;
  const points = Array.from({ length: 300 }, (_, metricValue): Point => ({
    step: (metricValue * 7_919) % 11,
    timestampMs: (metricValue * 104_729) % 5,
    metricValue,
  }));
  for (let from = 0; from < points.length; from += 100) {
    await experiment.send(
      ...points.slice(from, from + 100).map((point) => experiment.metric({ ...point })),
    );
  }
  return { experiment, points };
}

type Columns = Pick<Partition, "step" | "timestampMs" | "value">;

function columns({ step, timestampMs, value }: Columns): Columns {
  return { step, timestampMs, value };
}

function columnsOf(points: Point[]): Columns {
  return {
    step: points.map(({ step }) => step),
    timestampMs: points.map(({ timestampMs }) => timestampMs),
    value: points.map(({ metricValue }) => metricValue),
  };
}
