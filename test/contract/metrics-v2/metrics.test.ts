import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { eventError, type ExperimentCaller, refused } from "../callers.ts";
import { topic } from "../topic.ts";

topic("metric points", (system) => {
  test("a point is acknowledged and reads back exactly", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const data = {
      metricName: "train/loss",
      step: 7,
      timestampMs: 1234,
      metricValue: 0.1 + 0.2,
      meta: { rank: "0" },
    };
    const reply = await experiment.ask(
      "experiment.metric",
      { experimentId, ...data },
      "metricRecorded",
    );
    assert.deepEqual(reply, { experimentId, metricName: "train/loss", deduplicated: false });
    const { partitions } = await system.acme.oneSeries(experimentId, "train/loss");
    assert.deepEqual(partitions, [
      {
        seriesName: "train/loss",
        metadata: { rank: "0" },
        step: [7],
        timestampMs: [1234],
        value: [0.30000000000000004],
      },
    ]);
  });

  test("every finite double reads back bit for bit", async () => {
    const experiment = await system.acme.open();
    const values = [
      0,
      1,
      -1,
      0.1,
      1 / 3,
      Math.PI,
      5e-324,
      -5e-324,
      2.2250738585072014e-308,
      1.7976931348623157e308,
      -1.7976931348623157e308,
      2 ** 53,
      2 ** 53 + 2,
      -(2 ** 53),
      1e21,
      1e-7,
      123456789.12345679,
      Math.fround(0.1),
      4.35,
      0.0001,
      99999.9999,
      1e15 + 0.3,
      2 ** -1022,
      2 ** 1023,
    ];
    await experiment.send(
      ...values.map((metricValue, step) => experiment.metric({ metricValue, step })),
    );
    const { partitions } = await system.acme.series(experiment.experimentId);
    assert.deepEqual(partitions[0].value, values);
  });

  test("1.0 and 1e3 are integers, -0 reads back as 0", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const points = [
      ["1.0", "1e3", "-0"],
      ["-0.0", "0e5", "-0.0"],
      ["9.007199254740990e15", "9007199254740991.0", "1.5e0"],
    ];
    for (const [step, timestampMs, value] of points) {
      const reply = await experiment.post(
        `{"messageId":"${randomUUID()}","event":"svc.v2.experiment.metric","data":{"experimentId":` +
          `"${experimentId}","timestampMs":${timestampMs},"step":${step},"metricName":"n","metricValue":${value},"meta":{}}}`,
      );
      assert.equal(reply.status, 200, reply.text);
    }
    const { partitions } = await system.acme.series(experimentId);
    const [read] = partitions;
    assert.deepEqual(read.step, [0, 1, 9007199254740990]);
    assert.deepEqual(read.timestampMs, [0, 1000, 9007199254740991]);
    assert.deepEqual(read.value, [0, 0, 1.5]);
    assert.ok(read.value.every((value) => !Object.is(value, -0)));
  });

  test("the same id with the same payload is stored once and acknowledged each time", async () => {
    const experiment = await system.acme.open();
    const events = [
      experiment.metric({ step: 1 }),
      experiment.metric({ step: 2 }, "short"),
      experiment.metric({ step: 3 }, "run-17"),
    ];
    const flags = async (): Promise<unknown[]> =>
      (await experiment.send(...events)).map(({ data }) => data.deduplicated);
    assert.deepEqual(await flags(), [false, false, false]);
    assert.deepEqual(await flags(), [true, true, true]);
    events.splice(1, 0, experiment.metric({ step: 4 }));
    assert.deepEqual(await flags(), [true, false, true, true]);
    const { partitions } = await system.acme.series(experiment.experimentId);
    assert.deepEqual(partitions[0].step, [1, 2, 3, 4]);
  });

  test("equal payloads are equal however they are written", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const forms = [
      `"timestampMs":1000,"step":10,"metricName":"loss","metricValue":0,"meta":{"a":"1","b":"é"}`,
      `"meta":{"b":"\\u00e9","a":"1"},"metricValue":-0.0,"metricName":"l\\u006fss","step":1e1,"timestampMs":1000.0`,
    ];
    const replies: JsonObject[] = [];
    for (const form of forms) {
      const reply = await experiment.post(
        `{"messageId":"same","event":"svc.v2.experiment.metric","data":{"experimentId":"${experimentId}",${form}}}`,
      );
      replies.push((JSON.parse(reply.text) as { data: JsonObject }).data);
    }
    assert.deepEqual(
      replies.map(({ deduplicated }) => deduplicated),
      [false, true],
    );
    assert.equal((await system.acme.series(experimentId)).done.points, 1);
  });

  for (const messageId of ["random", "run-1"]) {
    test(`the same id with another payload is a conflict and the first stays (${messageId})`, async () => {
      const experiment = await system.acme.open();
      const id = messageId === "random" ? randomUUID() : messageId;
      const first = {
        step: 1,
        timestampMs: 2,
        metricName: "loss",
        metricValue: 3,
        meta: { a: "b" },
      };
      await experiment.send(experiment.metric(first, id));
      const others: JsonObject[] = [
        { step: 2 },
        { timestampMs: 3 },
        { metricName: "Loss" },
        { metricValue: 3.0000000000000004 },
        { meta: {} },
        { meta: { a: "c" } },
        { meta: { a: "b", c: "" } },
        { meta: { b: "a" } },
      ];
      for (const other of others) {
        const next = experiment.metric({ ...first, step: 5 });
        const [conflict, stored] = await experiment.send(
          experiment.metric({ ...first, ...other }, id),
          next,
        );
        const error = eventError(conflict);
        assert.equal(error.code, "message_id_conflict", JSON.stringify(other));
        assert.equal(error.status, 409);
        assert.equal(error.retryable, false);
        assert.equal(stored.data.deduplicated, false);
      }
      const { partitions } = await system.acme.series(experiment.experimentId);
      const read = partitions.flatMap(({ step }) => step).filter((step) => step !== 5);
      assert.deepEqual(read, [1]);
      const [again] = await experiment.send(experiment.metric(first, id));
      assert.equal(again.data.deduplicated, true);
    });
  }

  test("ids are deduplicated within their experiment alone", async () => {
    const [first, second] = [await system.acme.open(), await system.acme.open()];
    for (const experiment of [first, second]) {
      const [reply] = await experiment.send(experiment.metric({ step: 1 }, "shared"));
      assert.equal(reply.data.deduplicated, false);
    }
    const [conflict] = await second.send(second.metric({ step: 2 }, "shared"));
    assert.equal(eventError(conflict).code, "message_id_conflict");
  });

  test("other events never use up a messageId", async () => {
    const experiment = await system.acme.open();
    await experiment.send(experiment.event("start", {}, "id"));
    await experiment.send(experiment.event("annotate", { annotation: "x", meta: {} }, "id"));
    const [stored] = await experiment.send(experiment.metric({}, "id"));
    assert.equal(stored.data.deduplicated, false);
    const [started] = await experiment.send(experiment.event("start", {}, "id"));
    assert.equal(started.event, "svc.v2.experiment.started");
  });

  test("one id sent 50 times in parallel is stored once", async () => {
    const experiment = await system.acme.open();
    for (const id of [randomUUID(), "race-1"]) {
      const point = experiment.metric({ metricName: id }, id);
      const replies = await Promise.all(Array.from({ length: 50 }, () => experiment.send(point)));
      const fresh = replies.filter(([reply]) => reply.data.deduplicated === false);
      assert.equal(fresh.length, 1);
      assert.equal((await system.acme.oneSeries(experiment.experimentId, id)).done.points, 1);
    }
  });

  test("one id with 50 payloads in parallel is stored once, the rest are conflicts", async () => {
    const experiment = await system.acme.open();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, step) => experiment.send(experiment.metric({ step }, "race"))),
    );
    const stored = replies.filter(([reply]) => reply.event === "svc.v2.metricRecorded");
    assert.equal(stored.length, 1);
    const { partitions } = await system.acme.series(experiment.experimentId);
    assert.deepEqual(partitions[0].step, [replies.indexOf(stored[0])]);
  });

  test("counter ids may come in any order and with gaps", async () => {
    const experiment = await system.acme.open();
    const numbers = [5, 3, 4, 0, 1_000_000, 9007199254740991, 2, 7, 1];
    const point = (number: number): ReturnType<ExperimentCaller["metric"]> =>
      experiment.metric({ step: number % 1_000 }, `w-${number}`);
    await experiment.send(...numbers.map(point));
    const again = await experiment.send(...[...numbers, 6, 8].map(point));
    assert.deepEqual(
      again.map(({ data }) => data.deduplicated),
      [...numbers.map(() => true), false, false],
    );
    const alike = [
      "w-01",
      "w-+1",
      "w-1.0",
      "w- 1",
      "w-1e0",
      "w--1",
      "-1",
      "w-",
      "w",
      "1",
      "w-9007199254740992",
      "w-9007199254740993",
      "w-18446744073709551616",
      "W-1",
    ];
    const replies = await experiment.send(...alike.map((id) => experiment.metric({}, id)));
    assert.ok(replies.every(({ data }) => data.deduplicated === false));
  });

  test("equal points under different ids are all kept, in order of arrival", async () => {
    const experiment = await system.acme.open();
    const values = [3, 1, 2, 2, 1, 3];
    for (const metricValue of values) await experiment.send(experiment.metric({ metricValue }));
    const { partitions } = await system.acme.series(experiment.experimentId);
    assert.deepEqual(partitions[0].value, values);
  });

  test("old, future and out-of-order points and points after done are accepted", async () => {
    const experiment = await system.acme.open();
    await experiment.tell("done");
    await experiment.send(
      experiment.metric({ step: 9, timestampMs: Number.MAX_SAFE_INTEGER }),
      experiment.metric({ step: 3, timestampMs: 0 }),
      experiment.metric({ step: Number.MAX_SAFE_INTEGER - 1, timestampMs: 5 }),
      experiment.metric({ step: 0, timestampMs: 9 }),
    );
    const { partitions } = await system.acme.series(experiment.experimentId);
    assert.deepEqual(partitions[0].step, [0, 3, 9, Number.MAX_SAFE_INTEGER - 1]);
  });

  test("spaces in names and empty meta keys and values are allowed", async () => {
    const experiment = await system.acme.open();
    const meta = { "": "", " ": " ", __proto__x: "\n", é: "😀" };
    await experiment.send(experiment.metric({ metricName: " a b ~", meta }));
    const { partitions } = await system.acme.oneSeries(experiment.experimentId, " a b ~");
    assert.deepEqual(partitions[0].metadata, meta);
  });

  test("a meta key named __proto__ or constructor is a key like others", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const meta = `{"__proto__":"a","constructor":"b","toString":"c"}`;
    const text = JSON.stringify(experiment.metric()).replace('"meta":{}', `"meta":${meta}`);
    assert.equal((await experiment.post(text)).status, 200);
    const { partitions } = await system.acme.series(experimentId, {
      filter: [{ metadataKey: "__proto__", metadataValue: "a" }, { metadataKey: "constructor" }],
    });
    assert.deepEqual(partitions[0].metadata, JSON.parse(meta));
    const none = await system.acme.series(experimentId, { filter: [{ metadataKey: "valueOf" }] });
    assert.deepEqual(none.partitions, []);
  });

  test("meta must be flat strings", async () => {
    const experiment = await system.acme.open();
    for (const meta of [{ a: 1 }, { a: null }, { a: {} }, { a: ["b"] }, [], null, "x"]) {
      await refused(
        experiment.post(experiment.metric({ meta: meta as JsonObject })),
        400,
        "validation_failed",
      );
    }
  });
});
