import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { event, eventError, refused, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

topic("batching rules", (system) => {
  test("rule 1: 1 to 1,000 envelopes, replies in request order", async () => {
    const experiment = await system.acme.open();
    const events = Array.from({ length: 1_000 }, (_, step) => experiment.metric({ step }));
    const replies = await experiment.send(...events);
    assert.ok(replies.every((reply) => reply.event === "svc.v2.metricRecorded"));
    assert.equal((await system.acme.series(experiment.experimentId)).done.points, 1_000);
    const reads = Array.from({ length: 1_000 }, () =>
      event("query.catalog", { experimentId: experiment.experimentId }),
    );
    await system.acme.send(...reads);
    await refused(experiment.post([...events, experiment.metric()]), 400, "validation_failed");
    await refused(system.acme.post([...reads, reads[0]]), 400, "validation_failed");
    await refused(experiment.post([]), 400, "validation_failed");
    await refused(system.acme.post([]), 400, "validation_failed");
  });

  test("rule 2: one malformed event rejects the whole request, wherever it stands", async () => {
    const experiment = await system.acme.open();
    const bad = experiment.metric({ metricName: "" });
    for (const position of [0, 1, 2]) {
      const events = [experiment.metric(), experiment.metric()];
      events.splice(position, 0, bad);
      await refused(experiment.post(events), 400, "validation_failed");
    }
    const name = uniqueName("folder");
    await refused(
      system.acme.post([
        event("folder.create", { name, parentFolderId: null }),
        event("nothing", {}),
      ]),
      400,
      "validation_failed",
    );
    assert.equal((await system.acme.series(experiment.experimentId)).done.points, 0);
    await system.acme.ask("folder.create", { name, parentFolderId: null });
  });

  test("rule 3: events run in order, earlier and later writes stay when one fails", async () => {
    const name = uniqueName("folder");
    const create = (): ReturnType<typeof event> =>
      event("folder.create", { name, parentFolderId: null });
    const slug = uniqueName("slug");
    const open = event("experiment.open", { slug, description: "after the failure", meta: {} });
    const read = event("query.experiment", { experimentSlug: slug });
    const [first, second, third, fourth] = await system.acme.send(create(), create(), open, read);
    assert.equal(first.event, "svc.v2.folder.created");
    assert.equal(eventError(second).details.folderId, first.data.folderId);
    assert.equal(third.event, "svc.v2.experiment.opened");
    assert.equal(fourth.data.description, "after the failure", "reads in a batch see its writes");
  });

  test("rule 4: a repeated messageId in an experiment batch rejects it before any event runs", async () => {
    const experiment = await system.acme.open();
    const { messageId } = experiment.metric();
    const other = experiment.metric();
    await refused(
      experiment.post([other, experiment.metric({}, messageId), experiment.metric({}, messageId)]),
      400,
      "duplicate_message_id",
    );
    await refused(
      experiment.post([experiment.event("start", {}, messageId), experiment.metric({}, messageId)]),
      400,
      "duplicate_message_id",
    );
    assert.equal((await system.acme.series(experiment.experimentId)).done.points, 0);
    assert.equal((await system.acme.record(experiment.experimentId)).startedAtMs, null);
  });

  test("rule 4: ids that differ by normalisation or case alone are two ids", async () => {
    const experiment = await system.acme.open();
    const ids = ["\u00e9", "e\u0301", "A", "a", "1", "01", "run-1", "run-01", "run-1 "];
    const replies = await experiment.send(...ids.map((id) => experiment.metric({}, id)));
    assert.ok(replies.every(({ data }) => data.deduplicated === false));
    assert.equal((await system.acme.series(experiment.experimentId)).done.points, ids.length);
  });

  test("a repeated messageId on the organization endpoint is allowed, replies go by position", async () => {
    const messageId = randomUUID();
    const slugs = [uniqueName("slug"), uniqueName("slug")];
    const replies = await system.acme.send(
      ...slugs.map((slug) =>
        event("experiment.open", { slug, description: "", meta: {} }, messageId),
      ),
    );
    for (const [index, slug] of slugs.entries()) {
      const record = await system.acme.ask("query.experiment", { experimentSlug: slug });
      assert.equal(record.experimentId, replies[index].data.experimentId);
    }
  });

  test("rule 5: tokenRevoke must be the last event, else nothing runs", async () => {
    const experiment = await system.acme.open();
    const revoke = experiment.event("tokenRevoke");
    await refused(experiment.post([revoke, experiment.metric()]), 400, "validation_failed");
    await refused(
      experiment.post([revoke, experiment.event("tokenRevoke")]),
      400,
      "validation_failed",
    );
    await experiment.send(experiment.metric());
    const [, last] = await experiment.send(experiment.metric(), experiment.event("tokenRevoke"));
    assert.equal(last.event, "svc.v2.experiment.tokenRevoked");
    assert.equal((await system.acme.series(experiment.experimentId)).done.points, 2);
  });

  test("rule 6: another experimentId than the URL's yields a 409 event error, the others run", async () => {
    const experiment = await system.acme.open();
    const other = await system.acme.open();
    const names = ["start", "done", "error", "metric", "annotate", "tokenRevoke"] as const;
    const fields = {
      start: {},
      done: {},
      tokenRevoke: {},
      error: { error: "x", meta: {} },
      annotate: { annotation: "x", meta: {} },
      metric: other.metric().data,
    };
    for (const name of names) {
      const wrong = other.event(name, fields[name]);
      const events = [experiment.metric(), wrong];
      if (name !== "tokenRevoke") events.push(experiment.metric());
      const replies = await experiment.send(...events);
      const error = eventError(replies[1]);
      assert.equal(error.code, "experiment_id_mismatch");
      assert.equal(error.status, 409);
      assert.deepEqual(error.details, {
        expected: experiment.experimentId,
        received: other.experimentId,
      });
      assert.ok(
        replies.every((reply, index) => index === 1 || reply.event === "svc.v2.metricRecorded"),
      );
    }
    const { done } = await system.acme.series(experiment.experimentId);
    assert.equal(done.points, 2 * names.length - 1);
    assert.equal((await system.acme.series(other.experimentId)).done.points, 0);
    const untouched = await system.acme.record(other.experimentId);
    assert.equal(untouched.updatedAtMs, untouched.createdAtMs);
  });

  for (const name of ["query.experiments", "query.revisions"]) {
    test(`rule 7: ${name} must be the only event of its request`, async () => {
      const sole = event(name, { experimentIds: [] });
      await system.acme.send(sole);
      await system.acme.ask(name, { experimentIds: [] });
      const read = event("foldertree.read", {});
      for (const body of [
        [sole, read],
        [read, sole],
        [sole, event(name, { experimentIds: [] })],
      ]) {
        await refused(system.acme.post(body), 400, "validation_failed");
      }
    });
  }

  test("a batch that mixes metrics with other events keeps their order", async () => {
    const experiment = await system.acme.open();
    const replies = await experiment.send(
      experiment.event("done"),
      experiment.metric({ step: 1 }),
      experiment.event("annotate", { annotation: "between", meta: {} }),
      experiment.metric({ step: 2 }),
      experiment.event("start"),
    );
    assert.deepEqual(
      replies.map((reply) => reply.event.replace("svc.v2.", "")),
      [
        "experiment.completed",
        "metricRecorded",
        "experiment.annotated",
        "metricRecorded",
        "experiment.started",
      ],
    );
    const record = await system.acme.record(experiment.experimentId);
    assert.equal(record.status, "running");
    assert.notEqual(record.doneAtMs, null);
  });
});
