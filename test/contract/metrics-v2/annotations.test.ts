import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { event, refused, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

topic("annotations", (system) => {
  test("annotations read back newest first, by id and by slug", async () => {
    const experiment = await system.acme.open();
    const { experimentId, slug } = experiment;
    const notes = Array.from({ length: 20 }, (_, number) => ({
      annotation: `note ${number}\n`,
      meta: { number, nested: { list: [number, null] } },
    }));
    const replies = await experiment.send(
      ...notes.map((note) => experiment.event("annotate", note)),
    );
    for (const { data } of replies) {
      assert.deepEqual(Object.keys(data).sort(), ["annotationId", "createdAtMs", "experimentId"]);
    }
    const read = await system.acme.ask(
      "query.annotations",
      { experimentId },
      "query.annotations.result",
    );
    assert.deepEqual(read, {
      experimentId,
      annotations: notes
        .map((note, index) => ({
          annotationId: replies[index].data.annotationId,
          ...note,
          createdAtMs: replies[index].data.createdAtMs,
        }))
        .reverse(),
      truncated: false,
    });
    assert.deepEqual(await system.acme.ask("query.annotations", { experimentSlug: slug }), read);
  });

  test("the same annotation with the same messageId twice is two annotations", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const note = experiment.event("annotate", { annotation: "again", meta: {} });
    const [first] = await experiment.send(note);
    const [second] = await experiment.send(note);
    assert.notEqual(first.data.annotationId, second.data.annotationId);
    const { annotations } = await system.acme.ask("query.annotations", { experimentId });
    assert.equal((annotations as JsonObject[]).length, 2);
  });

  test("the text has 1 to 16,000 characters and meta at most 64 KiB of compact JSON", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const meta = { x: "y".repeat(65_536 - 8) };
    const texts = ["x", "x".repeat(16_000), "😀".repeat(16_000)];
    for (const annotation of texts) await experiment.tell("annotate", { annotation, meta });
    const wrong: JsonObject[] = [
      { annotation: "", meta: {} },
      { annotation: "x".repeat(16_001), meta: {} },
      { annotation: "x", meta: { x: "y".repeat(65_536 - 7) } },
      { annotation: "x", meta: { é: "y".repeat(65_536 - 8) } },
      { annotation: "x", meta: [] },
      { annotation: "x", meta: null },
      { annotation: "x" },
      { annotation: 1, meta: {} },
    ];
    for (const data of wrong) {
      await refused(experiment.post(experiment.event("annotate", data)), 400, "validation_failed");
    }
    const { annotations } = await system.acme.ask("query.annotations", { experimentId });
    const read = (annotations as JsonObject[]).map((note) => note.annotation);
    assert.deepEqual(read, texts.reverse());
  });

  test("white space in a sent meta does not count", async () => {
    const experiment = await system.acme.open();
    const meta = `{ "x" : ${" ".repeat(100_000)} "${"y".repeat(65_536 - 8)}" }`;
    const { experimentId } = experiment;
    const text = JSON.stringify(experiment.event("annotate", { annotation: "x", meta: {} }));
    const reply = await experiment.post(text.replace('"meta":{}', `"meta":${meta}`));
    assert.equal(reply.status, 200, reply.text.slice(0, 300));
    const { annotations } = await system.acme.ask("query.annotations", { experimentId });
    assert.deepEqual((annotations as JsonObject[])[0].meta, JSON.parse(meta));
  });

  test("annotations of an unknown experiment are not found", async () => {
    await system.acme.fails(
      "query.annotations",
      { experimentId: "none" },
      404,
      "experiment_not_found",
    );
    const experimentSlug = uniqueName("none");
    await system.acme.fails("query.annotations", { experimentSlug }, 404, "experiment_not_found");
    const both = event("query.annotations", { experimentId: "a", experimentSlug: "b" });
    await refused(system.acme.post(both), 400, "validation_failed");
  });
});
