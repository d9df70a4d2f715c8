import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { parseObject } from "../../http.ts";
import { event, refused, requestError, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

topic("envelope", (system) => {
  test("an unknown field is refused, not dropped, and a string for a number is not coerced", async () => {
    const experiment = await system.acme.open();
    const good = experiment.metric();
    const bad = [
      { ...good, extra: 1 },
      { ...good, data: { ...good.data, extra: 1 } },
      { ...good, data: { ...good.data, step: "1" } },
      { ...good, data: { ...good.data, metricValue: "1" } },
      { ...good, data: { ...good.data, timestampMs: "1" } },
    ];
    for (const one of bad) {
      await refused(experiment.post(one), 400, "validation_failed");
      await refused(experiment.post([experiment.metric(), one]), 400, "validation_failed");
    }
    const { done } = await system.acme.series(experiment.experimentId);
    assert.deepEqual(done, { series: 0, batches: 0, points: 0 }, "nothing was executed");
  });

  test("one envelope gets one reply object, an array gets an array", async () => {
    const sent = event("foldertree.read", {});
    const single = parseObject((await system.acme.post(sent)).text);
    assert.equal(single.correlationId, sent.messageId);
    assert.notEqual(single.messageId, sent.messageId);
    const replies = await system.acme.send(event("foldertree.read", {}));
    assert.equal(replies.length, 1);
  });

  test("a reply carries a fresh messageId even when the request is repeated", async () => {
    const sent = event("foldertree.read", {});
    const first = parseObject((await system.acme.post(sent)).text);
    const second = parseObject((await system.acme.post(sent)).text);
    assert.notEqual(first.messageId, second.messageId);
  });

  test("a correlationId in a request is accepted and ignored", async () => {
    const sent = { ...event("foldertree.read", {}), correlationId: "something else" };
    const reply = parseObject((await system.acme.post(sent)).text);
    assert.equal(reply.correlationId, sent.messageId);
    for (const correlationId of ["", "x".repeat(201), 1, null]) {
      await refused(system.acme.post({ ...sent, correlationId }), 400, "validation_failed");
    }
  });

  for (const missing of ["messageId", "event", "data"]) {
    test(`an envelope without ${missing} is refused`, async () => {
      const { [missing as "data"]: _, ...rest } = event("foldertree.read", {});
      await refused(system.acme.post(rest), 400, "validation_failed");
    });
  }

  test("messageId has 1 to 200 characters, counted as code points", async () => {
    const accepted = ["x", "x".repeat(200), "😀".repeat(200), " ", "é\u0301\n"];
    for (const messageId of accepted) {
      const sent = event("foldertree.read", {}, messageId);
      await system.acme.send(sent);
    }
    for (const messageId of ["", "x".repeat(201), "😀".repeat(201), 1, null, {}]) {
      const sent = { ...event("foldertree.read", {}), messageId };
      await refused(system.acme.post(sent), 400, "validation_failed");
    }
  });

  test("event names are case-sensitive and carry the prefix", async () => {
    const names = [
      "foldertree.read",
      "svc.v1.foldertree.read",
      "SVC.v2.foldertree.read",
      "svc.v2.FolderTree.read",
      "svc.v2.folderTree.read",
      "svc.v2.unknown",
      "svc.v2.",
      "",
      "svc.v2.foldertree.read ",
      "svc.v2.foldertree.read.result",
      "svc.v2.error",
      "__proto__",
      "constructor",
    ];
    for (const name of names) {
      const sent = { messageId: randomUUID(), event: name, data: {} };
      await refused(system.acme.post(sent), 400, "validation_failed");
    }
  });

  test("field names are case-sensitive", async () => {
    const { event: name, ...rest } = event("foldertree.read", {});
    await refused(system.acme.post({ ...rest, Event: name }), 400, "validation_failed");
  });

  test("an event on the wrong endpoint is refused and nothing runs", async () => {
    const experiment = await system.acme.open();
    const name = uniqueName("folder");
    const create = event("folder.create", { name, parentFolderId: null });
    await refused(system.acme.post([create, experiment.metric()]), 400, "validation_failed");
    await refused(experiment.post([experiment.metric(), create]), 400, "validation_failed");
    const { experimentId } = experiment;
    const series = event("query.series", {
      experimentId,
      seriesName: "a",
      filter: [],
      xAxis: "step",
    });
    await refused(system.acme.post(series), 400, "validation_failed");
    await refused(system.acme.postQuery(event("foldertree.read", {})), 400, "validation_failed");
    await system.acme.ask("folder.create", { name, parentFolderId: null });
    assert.equal((await system.acme.series(experimentId)).done.points, 0);
  });

  test("required fields inside data must be present, empty objects too", async () => {
    const slug = uniqueName("slug");
    const full = { slug, description: "", meta: {} };
    for (const missing of Object.keys(full)) {
      const { [missing as "slug"]: _, ...data } = full;
      await refused(system.acme.post(event("experiment.open", data)), 400, "validation_failed");
    }
    await refused(
      system.acme.post({ ...event("foldertree.read", {}), data: null }),
      400,
      "validation_failed",
    );
    await refused(
      system.acme.post({ ...event("foldertree.read", {}), data: [] }),
      400,
      "validation_failed",
    );
    const experiment = await system.acme.open(slug);
    for (const missing of [
      "experimentId",
      "timestampMs",
      "step",
      "metricName",
      "metricValue",
      "meta",
    ]) {
      const { [missing]: _, ...data } = experiment.metric().data;
      await refused(experiment.post(event("experiment.metric", data)), 400, "validation_failed");
    }
  });

  test("a refusal names its code and its request id, which is fresh each time", async () => {
    const first = await system.acme.post({});
    const second = await system.acme.post({});
    assert.equal(requestError(first).code, "validation_failed");
    assert.notEqual(first.headers["x-request-id"], second.headers["x-request-id"]);
  });
});
